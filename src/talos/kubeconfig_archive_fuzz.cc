#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <zlib.h>

#include "base/check.h"
#include "talos/kubeconfig_archive.h"

namespace {

/// Stored, not compressed: so that mutations reach the tar and not only the gzip layer.
std::string gzip(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 0, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const std::string& archive : {std::string(input), gzip(input)}) {
    const auto kubeconfig = ichor::kubeconfig_from_archive(archive);
    if (!kubeconfig) continue;
    ichor::check(!kubeconfig->empty(), "an accepted kubeconfig is not empty");
    ichor::check(kubeconfig->size() <= 1 << 20, "an accepted kubeconfig is not too large");
  }
  return 0;
}
