#include "hasa/study/study_result.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"

namespace hasa {
namespace {

using ResultJson = nlohmann::ordered_json;

ResultJson json_of_table(const PageTable& table) {
  ResultJson json{{"caption", table.caption}, {"columns", ResultJson::array()}, {"rows", ResultJson::array()}};
  for (const TableColumn& column : table.columns)
    json["columns"].push_back({{"name", column.name}, {"numeric", column.numeric}, {"definition", column.definition}});
  for (const TableRow& row : table.rows) {
    ResultJson cells = ResultJson::array();
    for (const TableCell& cell : row.cells) {
      ResultJson one{{"text", cell.text}};
      if (cell.value) one["value"] = *cell.value;
      cells.push_back(one);
    }
    json["rows"].push_back({{"cells", cells}, {"faint", row.faint}});
  }
  return json;
}

TableCell read_cell(const ResultJson& json) {
  TableCell cell(json.at("text").get<std::string>());
  // A value that is not finite is null.
  if (json.contains("value") && json.at("value").is_number()) cell.value = json.at("value").get<double>();
  return cell;
}

PageTable read_table(const ResultJson& json) {
  PageTable table{.caption = json.at("caption").get<std::string>(), .columns = {}, .rows = {}};
  for (const ResultJson& each : json.at("columns"))
    table.columns.push_back({each.at("name").get<std::string>(), each.at("numeric").get<bool>(),
                             each.at("definition").get<std::string>()});
  for (const ResultJson& each : json.at("rows")) {
    TableRow row{.cells = {}, .faint = each.at("faint").get<bool>()};
    for (const ResultJson& cell : each.at("cells")) row.cells.push_back(read_cell(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Agreement read_agreement(const std::string& word) {
  for (const Agreement each : {Agreement::agrees, Agreement::mixed, Agreement::disagrees}) {
    if (word == to_string(each)) return each;
  }
  fail(ErrorKind::data, "a verdict is \"{}\", expected agrees, mixed or disagrees", word);
}

StudyResult read_result(const ResultJson& json) {
  StudyResult result{.title = json.at("title").get<std::string>(),
                     .summary = json.at("summary").get<std::string>(),
                     .verdicts = {},
                     .figures = {},
                     .tables = {},
                     .files = {},
                     .size = json.value("size", ""),
                     .graphs = json.value("graphs", std::vector<std::string>())};
  for (const ResultJson& each : json.at("verdicts"))
    result.verdicts.push_back({each.at("claim").get<int>(), read_agreement(each.at("agreement").get<std::string>()),
                               each.at("sentence").get<std::string>()});
  for (const ResultJson& each : json.at("figures"))
    result.figures.push_back({chart_from_json(each.at("chart").dump()), each.at("remark").get<std::string>(),
                              read_table(each.at("numbers"))});
  for (const ResultJson& each : json.at("tables")) result.tables.push_back(read_table(each));
  for (const ResultJson& each : json.at("files")) result.files.push_back({each.get<std::string>(), ""});
  return result;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return line + "\n";
}

}  // namespace

const char* to_string(Agreement agreement) {
  switch (agreement) {
    case Agreement::agrees: return "agrees";
    case Agreement::mixed: return "mixed";
    case Agreement::disagrees: return "disagrees";
  }
  return "?";
}

Agreement overall(const std::vector<Agreement>& findings) {
  HASA_ASSERT(!findings.empty());
  const auto differs = [&](Agreement each) { return each != findings.front(); };
  return std::ranges::any_of(findings, differs) ? Agreement::mixed : findings.front();
}

ResultJson to_json(const StudyResult& result) {
  ResultJson json{{"title", result.title},         {"summary", result.summary},
                  {"verdicts", ResultJson::array()}, {"figures", ResultJson::array()},
                  {"tables", ResultJson::array()},   {"files", ResultJson::array()},
                  {"size", result.size},             {"graphs", result.graphs}};
  for (const Verdict& each : result.verdicts)
    json["verdicts"].push_back(
        {{"claim", each.claim}, {"agreement", to_string(each.agreement)}, {"sentence", each.sentence}});
  for (const StudyFigure& each : result.figures)
    json["figures"].push_back({{"chart", ResultJson::parse(to_json(each.chart))},
                               {"remark", each.remark},
                               {"numbers", json_of_table(each.numbers)}});
  for (const PageTable& each : result.tables) json["tables"].push_back(json_of_table(each));
  for (const StudyFile& each : result.files) json["files"].push_back(each.name);
  return json;
}

StudyResult study_result_from_json(const ResultJson& json) {
  try {
    return read_result(json);
  } catch (const ResultJson::exception& error) {
    fail(ErrorKind::data, "a study's result cannot be read: {}", error.what());
  }
}

std::string to_csv(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::string text = csv_line(header);
  for (const auto& row : rows) text += csv_line(row);
  return text;
}

}  // namespace hasa
