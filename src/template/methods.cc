#include "template/methods.h"

#include "template/interpreter.h"
#include "template/operate.h"

namespace ichor::jinja {

Method find_method(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::string: return find_text_method(name);
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
    case Kind::range: return find_collection_method(kind, name);
    default: return nullptr;
  }
}

}  // namespace ichor::jinja
