#include "template/syntax.h"

namespace ichor::jinja {

Delimiters jinja_delimiters() { return {"{%", "%}", "{{", "}}", "{#", "#}", ""}; }

Delimiters makejinja_delimiters() { return {"#%", "%#", "#{", "}#", "#|", "#|", "|#"}; }

}  // namespace ichor::jinja
