#include "lab/talos/state_watch.h"

#include <vector>

#include "lab/talos/timestamp.h"

namespace ichor::lab {

namespace {

using cosi::resource::Event;
using cosi::resource::WatchRequest;
using cosi::resource::WatchResponse;

tl::unexpected<sim::Refusal> denied(std::string text) {
  return tl::unexpected(sim::Refusal{Code::permission_denied, std::move(text)});
}

using cosi::resource::LabelTerm;

/// Resources of the lab carry no labels. NOT_EXISTS is EXISTS turned around, and is not turned
/// around once more.
bool holds_without_labels(const cosi::resource::LabelQuery& query) {
  for (const LabelTerm& term : query.terms()) {
    if (term.op() != LabelTerm::NOT_EXISTS && !term.invert()) return false;
  }
  return true;
}

/// machined takes the first value of these without asking whether there is one.
bool needs_value(LabelTerm::Operation operation) {
  return operation == LabelTerm::EQUAL || operation == LabelTerm::LT ||
         operation == LabelTerm::LTE || operation == LabelTerm::LT_NUMERIC ||
         operation == LabelTerm::LTE_NUMERIC;
}

sim::Answer<void> judge_term(const LabelTerm& term) {
  if (!LabelTerm::Operation_IsValid(term.op())) {
    return tl::unexpected(sim::Refusal{
        Code::unimplemented,
        "unsupported label query operator: " + std::to_string(static_cast<int>(term.op()))});
  }
  if (needs_value(term.op()) && term.value_size() == 0) {
    return tl::unexpected(
        sim::Refusal{Code::internal, "runtime error: index out of range [0] with length 0"});
  }
  return {};
}

/// Whether a resource describes other machines too.
bool tells_of_peers(const ResourceKind& kind) {
  return kind.type.starts_with("Members.") || kind.type.starts_with("Affiliates.") ||
         kind.type.starts_with("Endpoints.");
}

cosi::resource::Resource tombstone(const ResourceKind& kind, const std::string& space,
                                   const std::string& id) {
  cosi::resource::Resource out;
  out.mutable_metadata()->set_namespace_(space);
  out.mutable_metadata()->set_type(std::string(kind.type));
  out.mutable_metadata()->set_id(id);
  out.mutable_metadata()->set_version("undefined");
  out.mutable_metadata()->set_phase("running");
  out.mutable_spec();
  return out;
}

std::string bookmark(std::uint64_t cookie, std::uint64_t position) {
  std::string bytes;
  for (const std::uint64_t number : {cookie, position}) {
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 255);
  }
  return bytes;
}

class WatchStream final : public Stream {
 public:
  WatchStream(Exchange& exchange, const ResourceKind& kind, WatchRequest request)
      : exchange_(exchange),
        machine_(exchange.machine()),
        kind_(kind),
        request_(std::move(request)),
        filter_(request_.namespace_(), request_.options().label_query(),
                request_.has_id() ? "" : request_.options().id_query().regexp()) {
    watch_ = machine_.resources().watch(
        kind_.type, [this](const std::vector<ResourceChange>& changes) { on_changes(changes); });
    subscription_ = machine_.node().subscribe([this] { look(); });
    if (tells_of_peers(kind_)) {
      listener_ = exchange_.site().on_change([this](Machine&) { look(); });
    }
  }
  ~WatchStream() override {
    if (listener_ != 0) exchange_.site().forget(listener_);
    machine_.node().unsubscribe(subscription_);
    machine_.resources().unwatch(watch_);
  }

  void begin() {
    exchange_.send(WatchResponse());
    const auto& resources = machine_.resources().of(kind_.type);
    std::vector<Event> events;
    if (request_.has_id()) {
      const auto found = resources.find({request_.namespace_(), request_.id()});
      const bool exists = found != resources.end();
      Event event;
      event.set_event_type(exists ? Event::CREATED : Event::DESTROYED);
      *event.mutable_resource() = exists ? to_wire(kind_, found->second)
                                         : tombstone(kind_, request_.namespace_(), request_.id());
      events.push_back(std::move(event));
    } else if (request_.options().bootstrap_contents()) {
      for (const auto& [key, resource] : resources) {
        if (!filter_.takes(resource)) continue;
        Event event;
        event.set_event_type(Event::CREATED);
        *event.mutable_resource() = to_wire(kind_, resource);
        events.push_back(std::move(event));
      }
      if (request_.api_version() >= 1) events.push_back(marker(Event::BOOTSTRAPPED));
    } else if (request_.options().bootstrap_bookmark()) {
      events.push_back(marker(Event::NOOP));
    }
    deliver(std::move(events));
  }

 private:
  Event marker(Event::Type type) {
    Event event;
    event.set_event_type(type);
    *event.mutable_resource() = tombstone(kind_, request_.namespace_(), "");
    event.set_bookmark(
        bookmark(machine_.resources().cookie(), machine_.resources().position(kind_.type)));
    return event;
  }

  void look() { (void)current_resources(exchange_.site(), machine_, kind_); }

  void on_changes(const std::vector<ResourceChange>& changes) {
    std::vector<Event> events;
    for (const ResourceChange& change : changes) {
      if (!filter_.takes(change.now)) continue;
      if (request_.has_id() && change.now.content.id != request_.id()) continue;
      Event event;
      *event.mutable_resource() = to_wire(kind_, change.now);
      switch (change.kind) {
        case ResourceChange::Kind::created: event.set_event_type(Event::CREATED); break;
        case ResourceChange::Kind::destroyed: event.set_event_type(Event::DESTROYED); break;
        case ResourceChange::Kind::updated:
          event.set_event_type(Event::UPDATED);
          *event.mutable_old() = to_wire(kind_, change.before);
          break;
      }
      if (!request_.has_id()) {
        event.set_bookmark(bookmark(machine_.resources().cookie(), change.position));
      }
      events.push_back(std::move(event));
    }
    deliver(std::move(events));
  }

  void deliver(std::vector<Event> events) {
    WatchResponse response;
    for (Event& event : events) {
      *response.add_event() = std::move(event);
      if (request_.options().aggregated()) continue;
      exchange_.send(response);
      response.clear_event();
    }
    if (response.event_size() > 0) exchange_.send(response);
  }

  Exchange& exchange_;
  Machine& machine_;
  const ResourceKind& kind_;
  WatchRequest request_;
  ResourceFilter filter_;
  ResourceTable::WatchId watch_;
  sim::Node::Subscription subscription_;
  Site::ListenerId listener_{0};
};

}  // namespace

sim::Answer<const ResourceKind*> readable_kind(Exchange& exchange, const std::string& space,
                                               const std::string& type) {
  const ResourceKind* kind = find_kind(type);
  if (kind == nullptr) return denied("resource type \"" + type + "\" is not supported");
  if (kind->sensitive && (exchange.roles() & kAdmin) == 0) return denied("not authorized");
  if (!is_space(space)) return denied("namespace \"" + space + "\" is not supported");
  return kind;
}

const ResourceTable::ById& current_resources(Site& site, Machine& machine,
                                             const ResourceKind& kind) {
  const Sight sight(site, machine);
  machine.resources().follow(kind.type, make_all(kind, sight), machine.node().boot_id(),
                             site.clock().wall());
  return machine.resources().of(kind.type);
}

cosi::resource::Resource to_wire(const ResourceKind& kind, const StoredResource& resource) {
  cosi::resource::Resource out;
  cosi::resource::Metadata& metadata = *out.mutable_metadata();
  metadata.set_namespace_(resource.content.space);
  metadata.set_type(std::string(kind.type));
  metadata.set_id(resource.content.id);
  metadata.set_version(std::to_string(resource.version));
  metadata.set_owner(std::string(kind.owner));
  metadata.set_phase("running");
  *metadata.mutable_created() = timestamp_of(resource.created);
  *metadata.mutable_updated() = timestamp_of(resource.updated);
  for (const auto& [key, value] : resource.content.annotations) {
    (*metadata.mutable_annotations())[key] = value;
  }
  out.mutable_spec()->set_proto_spec(resource.content.proto);
  out.mutable_spec()->set_yaml_spec(resource.content.yaml);
  return out;
}

sim::Answer<void> ResourceFilter::judge(const LabelQueries& labels, const std::string& id_pattern) {
  for (const cosi::resource::LabelQuery& query : labels) {
    for (const LabelTerm& term : query.terms()) {
      if (auto good = judge_term(term); !good) return good;
    }
  }
  try {
    const std::regex pattern(id_pattern);
  } catch (const std::regex_error&) {
    return tl::unexpected(sim::Refusal{
        Code::invalid_argument,
        "failed to compile regexp: error parsing regexp: invalid pattern: `" + id_pattern + "`"});
  }
  return {};
}

ResourceFilter::ResourceFilter(std::string space, const LabelQueries& labels,
                               const std::string& id_pattern)
    : space_(std::move(space)), any_label_(labels.empty()), has_pattern_(!id_pattern.empty()) {
  for (const cosi::resource::LabelQuery& query : labels) any_label_ |= holds_without_labels(query);
  if (has_pattern_) pattern_ = std::regex(id_pattern);
}

bool ResourceFilter::takes(const StoredResource& resource) const {
  if (!any_label_ || resource.content.space != space_) return false;
  return !has_pattern_ || std::regex_search(resource.content.id, pattern_);
}

void start_watch(Exchange& exchange, const ResourceKind& kind, const WatchRequest& request) {
  const cosi::resource::WatchOptions& options = request.options();
  if (request.has_id() && options.bootstrap_contents()) {
    exchange.end(Code::unimplemented, "bootstrap contents is not implemented for resource watch");
    return;
  }
  if (request.has_id() && options.label_query_size() > 0) {
    exchange.end(Code::unimplemented, "label query is not implemented for resource watch");
    return;
  }
  const bool tails = options.tail_events() > 0;
  if (tails && options.has_start_from_bookmark()) {
    exchange.end(Code::unknown, "cannot use both TailEvents and StartFromBookmark options");
    return;
  }
  if (options.bootstrap_contents() && (tails || options.has_start_from_bookmark())) {
    exchange.end(Code::unknown,
                 "cannot use BootstrapContents with TailEvents and StartFromBookmark options");
    return;
  }
  // From here on only changes are sent, so what is there now must be known.
  (void)current_resources(exchange.site(), exchange.machine(), kind);
  if (options.has_start_from_bookmark()) {
    const ResourceTable& table = exchange.machine().resources();
    if (options.start_from_bookmark() != bookmark(table.cookie(), table.position(kind.type))) {
      exchange.end(Code::failed_precondition, "invalid watch bookmark");
      return;
    }
  }
  auto stream = std::make_unique<WatchStream>(exchange, kind, request);
  WatchStream& started = *stream;
  exchange.keep(std::move(stream));
  started.begin();
}

}  // namespace ichor::lab
