#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/clean_text.h"
#include "base/utf8.h"
#include "talos/certificate.h"
#include "talos/decode.h"
#include "talos/rpc.h"

namespace {

using namespace ichor;

template <class Spec>
std::vector<Named<Spec>> specs_from(const std::string& bytes) {
  cosi::resource::Resource resource;
  resource.mutable_spec()->set_proto_spec(bytes);
  std::vector<Named<Spec>> specs;
  if (auto spec = spec_of<Spec>(resource)) specs.push_back({"sda", *std::move(spec)});
  return specs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& [id, status] : specs_from<spec::MachineStatus>(bytes)) {
    for (const UnmetCondition& unmet : machine_status_from(status).unmet) {
      check(is_utf8(unmet.reason), "what is shown is UTF-8");
    }
  }
  for (const auto& mac : macs_from(specs_from<spec::LinkStatus>(bytes))) {
    check(mac.value().size() == 17, "a MAC address has one form");
  }
  disks_from(specs_from<spec::Disk>(bytes), specs_from<spec::DiscoveredVolume>(bytes), {});
  for (const auto& [id, system] : specs_from<spec::SystemInformation>(bytes)) identity_from(system);
  cosi::resource::GetResponse reply;
  if (reply.ParseFromString(bytes)) {
    if (auto status = spec_of<spec::MachineStatus>(reply.resource())) machine_status_from(*status);
    if (auto link = spec_of<spec::LinkStatus>(reply.resource())) {
      macs_from({{reply.resource().metadata().id(), *link}});
    }
  }
  std::size_t fields = 0;
  if (decode_reply<cosi::resource::ListResponse>(Call::identity, bytes, fields)) {
    check(fields <= kFieldsMax, "what was decoded keeps its limit");
  }
  machine::ServiceInfo service;
  if (service.ParseFromString(bytes)) service_from(service);
  version_from(bytes);
  check(is_utf8(clean_text(bytes)), "clean text is UTF-8");
  if (const pki::X509Handle certificate = pki::read_certificate(bytes))
    fingerprint_of(*certificate);
  key_from_pem(bytes);
  return 0;
}
