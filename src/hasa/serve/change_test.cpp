#include "hasa/serve/change.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(Change, ComesBackFromItsRecord) {
  const auto put = std::get<PutEntity>(change_from(to_record(PutEntity{"id", "a name", "two\nlines"})));
  EXPECT_EQ(put.id, "id");
  EXPECT_EQ(put.name, "a name");
  EXPECT_EQ(put.description, "two\nlines");
  EXPECT_EQ(std::get<DeleteEntity>(change_from(to_record(DeleteEntity{"x"}))).id, "x");
  EXPECT_EQ(std::get<AddTriple>(change_from(to_record(AddTriple{"h", "r", "t"}))).relation, "r");
  EXPECT_EQ(std::get<RemoveTriple>(change_from(to_record(RemoveTriple{"h", "r", "t"}))).tail, "t");
}

TEST(Change, IsNotReadFromAnythingElse) {
  const std::string record = to_record(AddTriple{"h", "r", "t"});
  for (std::size_t size = 0; size < record.size(); ++size) {
    EXPECT_ERROR(change_from(record.substr(0, size)), "a change in the journal");
  }
  EXPECT_ERROR(change_from(record + "x"), "1 bytes too many");
  EXPECT_ERROR(change_from("\x09"), "of kind 9");
}

TEST(Change, HasAnIdAndANameOfOneLineOfUtf8) {
  EXPECT_ERROR(check_form(PutEntity{"", "n", ""}), "the id of an entity is empty");
  EXPECT_ERROR(check_form(PutEntity{"a\tb", "n", ""}), "has a control character");
  EXPECT_ERROR(check_form(PutEntity{"a", "n\n", ""}), "the name \"n<LF>\" has a control character");
  EXPECT_ERROR(check_form(PutEntity{"a", "n", "\xFF"}), "the description \"\\xFF\" is not UTF-8");
  EXPECT_ERROR(check_form(PutEntity{std::string(2000, 'a'), "n", ""}), "2000 bytes");
  check_form(PutEntity{"a", "", "many\nlines"});
}

}  // namespace
}  // namespace hasa
