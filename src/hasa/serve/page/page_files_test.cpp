#include "hasa/serve/page/page_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

namespace hasa {
namespace {

const PageFile* file_at(std::string_view path) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const PageFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

/// What a file asks for: imports of a script, links of the page.
std::set<std::string> wanted_by(const PageFile& file) {
  static const std::regex link(R"re((?:from "\./|(?:src|href)="/page/)([\w.]+)")re");
  std::set<std::string> found;
  for (std::sregex_iterator it(file.text.begin(), file.text.end(), link), end; it != end; ++it)
    found.insert("/page/" + (*it)[1].str());
  return found;
}

TEST(PageFiles, HaveEverythingThatTheyAskForAndNothingElse) {
  std::set<std::string> wanted = {"/"}, there;
  for (const PageFile& file : page_files()) {
    there.emplace(file.path);
    wanted.merge(wanted_by(file));
  }
  EXPECT_EQ(wanted, there);
}

TEST(PageFiles, HoldEveryScriptOfTheFolder) {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HASA_SOURCE_DIR) + "/src/hasa/serve/page")) {
    if (entry.path().extension() != ".js") continue;
    EXPECT_NE(file_at("/page/" + entry.path().filename().string()), nullptr) << entry.path();
  }
}

TEST(PageFiles, KeepToWhatTheirPolicyAllows) {
  for (const PageFile& file : page_files()) {
    EXPECT_EQ(file.text.find("innerHTML"), std::string::npos) << file.path;  // refused by trusted-types
    EXPECT_FALSE(std::regex_search(file.text, std::regex(R"((src|href)="https?:)"))) << file.path;
  }
  EXPECT_EQ(file_at("/")->text.find("<style"), std::string::npos);
  EXPECT_FALSE(std::regex_search(file_at("/")->text, std::regex(R"(<script(?![^>]*\ssrc=))")));
  EXPECT_FALSE(std::regex_search(file_at("/")->text, std::regex(R"(\s(style|on\w+)=)")));
}

TEST(PageFiles, WearTheLookOfTheReports) {
  EXPECT_NE(file_at("/page/explorer.css")->text.find("--bar-faint"), std::string::npos);  // of chart.css
  EXPECT_NE(file_at("/page/explorer.css")->text.find(".cards {"), std::string::npos);     // of page.css
}

}  // namespace
}  // namespace hasa
