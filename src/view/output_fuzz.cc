#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/clean_text.h"
#include "base/utf8.h"
#include "view/cells.h"
#include "view/clean_stream.h"
#include "view/summary_text.h"
#include "yaml/document.h"
#include "yaml/json_node.h"

namespace {

using namespace ichor;

/// Nothing that a terminal obeys or a reader cannot see.
void expect_clean(std::string_view text) {
  check(is_clean(text), "what is shown is clean");
  check(is_utf8(text), "what is shown is UTF-8");
}

}  // namespace

/// All ways on which text of others reaches a terminal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string hostile(reinterpret_cast<const char*>(data), size);
  expect_clean(clean_text(hostile));
  expect_clean(clean_lines(hostile));
  expect_clean(clean(hostile));
  check(cell_count(fit(clean(hostile), 20)) == 20, "a cell has its width");

  std::ostringstream behind;
  {
    CleanStream stream(behind);
    for (const char byte : hostile) stream << byte;
  }
  expect_clean(behind.str());

  Summary summary;
  summary.result.verdict = hostile;
  summary.result.findings = {{Severity::error, hostile, {}, hostile, hostile, hostile}};
  summary.next = {hostile};
  for (const std::string& line : summary_lines(summary, nullptr, Detail::wide)) expect_clean(line);

  const std::string yaml = yaml::document_of({{"text", hostile}, {hostile, {hostile}}});
  expect_clean(yaml);
  check(yaml::parse(yaml, "out").has_value(), "the document can be read");
  return 0;
}
