#include "lab/talos/routing.h"

#include "common.pb.h"
#include "lab/rpc/wire.h"

namespace ichor::lab {

namespace {

using sim::Answer;
using sim::Refusal;

tl::unexpected<Refusal> refuse(Code code, std::string text) {
  return tl::unexpected(Refusal{code, std::move(text)});
}

tl::unexpected<Refusal> cannot_dial(const std::string& target, const char* why) {
  return refuse(Code::unavailable,
                "connection error: desc = \"transport: Error while dialing: dial tcp " + target +
                    ":50000: connect: " + why + "\"");
}

}  // namespace

Roles roles_from(const std::vector<std::string>& organizations) {
  Roles roles = 0;
  for (const std::string& name : organizations) {
    if (name == "os:admin") roles |= kAdmin;
    if (name == "os:operator") roles |= kOperator;
    if (name == "os:reader") roles |= kReader;
    if (name == "os:etcd:backup") roles |= kEtcdBackup;
    if (name == "os:meta:writer") roles |= kMetaWriter;
    if (name == "os:image:verifier") roles |= kImageVerifier;
    if (name == "os:impersonator") roles |= kImpersonator;
  }
  return roles;
}

Answer<Machine*> reach(Site& site, Machine& via, const std::string& target) {
  if (target.find(':') != std::string::npos && target.find('.') != std::string::npos) {
    return refuse(Code::internal, "invalid target \"" + target + "\"");
  }
  Machine* machine = site.at(target);
  if (machine == &via) return machine;
  const auto own = via.config();
  if (!own || !own->control_plane()) {
    return refuse(Code::permission_denied, "no request forwarding");
  }
  if (machine == nullptr || machine->faults.silent) return cannot_dial(target, "no route to host");
  if (machine->faults.refuse) return cannot_dial(target, "connection refused");
  switch (machine->node().listener()) {
    case sim::Listener::silent: return cannot_dial(target, "no route to host");
    case sim::Listener::refused: return cannot_dial(target, "connection refused");
    case sim::Listener::maintenance: break;
    case sim::Listener::apid:
      if (machine->node().operating_system_ca() == via.node().operating_system_ca()) {
        return machine;
      }
  }
  return refuse(
      Code::unavailable,
      "connection error: desc = \"transport: authentication handshake failed: tls: failed "
      "to verify certificate: x509: certificate signed by unknown authority\"");
}

Answer<const Method*> admit(Machine& machine, Roles roles, bool maintenance,
                            std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view service =
      slash == 0 || slash == path.npos ? "" : path.substr(1, slash - 1);
  const std::string_view name = path.substr(slash + 1);
  const bool unborn =
      machine.old() && (service == "machine.LifecycleService" || service == "machine.ImageService");
  const Method* method = unborn ? nullptr : find_method(service, name);
  const bool for_readers = method != nullptr && (method->roles & kReader) != 0;
  const sim::Caller caller{.anonymous = maintenance, .admin = !maintenance, .reader = !maintenance};
  auto gate = machine.node().admit(caller, service, name,
                                   for_readers ? sim::Need::reader : sim::Need::admin);
  if (!gate) return forward_error(gate);
  if (!maintenance) {
    // What is not listed is for administrators.
    const Roles enough = method == nullptr ? kAdmin : static_cast<Roles>(method->roles | kAdmin);
    if ((roles & enough) == 0) return refuse(Code::permission_denied, "not authorized");
  }
  if (method != nullptr) return method;
  if (unborn || !knows_service(service)) {
    return refuse(Code::unimplemented, "unknown service " + std::string(service));
  }
  return refuse(Code::unimplemented,
                "unknown method " + std::string(name) + " for service " + std::string(service));
}

std::string with_origin(std::string_view message, const std::string& node, bool streamed) {
  common::Metadata metadata;
  metadata.set_hostname(node);
  const FirstField first = first_field(message);
  std::string item(streamed ? message : first.content);
  append_bytes(item, 1, metadata.SerializeAsString());
  if (streamed) return item;
  std::string reply;
  append_bytes(reply, 1, item);
  return reply.append(first.rest);
}

std::string failed_part(const std::string& node, Code code, const std::string& text,
                        bool streamed) {
  common::Empty item;
  common::Metadata& metadata = *item.mutable_metadata();
  metadata.set_hostname(node);
  metadata.set_error("rpc error: code = " + std::string(name_of(code)) + " desc = " + text);
  metadata.mutable_status()->set_code(static_cast<int>(code));
  metadata.mutable_status()->set_message(text);
  if (streamed) return item.SerializeAsString();
  std::string reply;
  append_bytes(reply, 1, item.SerializeAsString());
  return reply;
}

}  // namespace ichor::lab
