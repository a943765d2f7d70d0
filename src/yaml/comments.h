#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace ichor::yaml {

/// A comment, and what of its surroundings tells which node it speaks about.
struct Comment {
  std::string text;  // behind the #
  Position at;
  std::size_t document{0};    // counted from 0; what stands before the first one belongs to it
  bool beside{false};         // behind a node, on its line
  bool below_content{false};  // the line above has a node
  bool above_blank{false};    // the line below is empty
  int next_column{0};         // of the next line that has a node; 0: the document ends first
};

/// All comments of a text that parse() takes, in order; none of a text that it refuses.
std::vector<Comment> find_comments(std::string_view text);

}  // namespace ichor::yaml
