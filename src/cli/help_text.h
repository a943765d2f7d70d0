#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// The lines of a text, without their ends. They live as long as the text.
std::vector<std::string_view> text_lines(std::string_view text);

/// A page of docs/commands or docs/lint for a terminal: without the marks of Markdown, wrapped at
/// 80 columns. Knows what these pages use: headings, paragraphs, lists, tables, links, and blocks
/// that are indented by four, which stay as they are.
std::string help_text(std::string_view markdown);

}  // namespace ichor
