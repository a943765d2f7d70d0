#include "base/address_set.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/check.h"

namespace ichor {

namespace {

/// How many addresses there are from one to the other, or more than any limit.
std::uint64_t count_between(const Ip& first, const Ip& last) {
  const std::size_t size = first.v6 ? 16 : 4;
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < size; ++i) {
    // What the high bytes leave must stay small, or the low ones cannot bring it down again.
    if (difference > AddressSet::kMax) return UINT64_MAX;
    difference = difference * 256 + last.bytes[i] - first.bytes[i];
  }
  return difference + 1;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Span {
  Ip first, last;
};

Result<Span> span_of_network(std::string_view part) {
  const auto network = parse_cidr(part);
  if (!network) {
    return fail(Errc::invalid,
                fmt::format("\"{}\" is not a network such as 192.168.20.0/22", part));
  }
  const int host_bits = network->address.bits() - network->length;
  if (host_bits > 16) {
    return fail(Errc::invalid, fmt::format("{} has too many addresses to scan: at most a /{}", part,
                                           network->address.v6 ? 112 : 16));
  }
  Span span{first_of(*network), last_of(*network)};
  if (!network->address.v6 && host_bits > 1) {
    span.first = after(span.first, 1);
    span.last = after(first_of(*network), (std::uint64_t{1} << host_bits) - 2);
  }
  return span;
}

/// The end of "10.0.0.5-9" is a number, not an address.
std::optional<Ip> end_of_range(const Ip& first, std::string_view text) {
  const bool number = !first.v6 && !text.empty() && text.size() <= 3 &&
                      text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!number) return parse_ip(text);
  Ip last = first;
  int value = 0;
  for (const char digit : text) value = value * 10 + (digit - '0');
  if (value > 255) return std::nullopt;
  last.bytes[3] = static_cast<std::uint8_t>(value);
  return last;
}

Result<Span> span_of_range(std::string_view part, std::size_t dash) {
  const auto first = parse_ip(trimmed(part.substr(0, dash)));
  const auto last = first ? end_of_range(*first, trimmed(part.substr(dash + 1))) : std::nullopt;
  if (!first || !last || first->v6 != last->v6) {
    return fail(Errc::invalid,
                fmt::format("\"{}\" is not a range such as 192.168.20.10-192.168.20.40", part));
  }
  if (*last < *first) {
    return fail(Errc::invalid, fmt::format("the range \"{}\" ends before it starts", part));
  }
  if (count_between(*first, *last) > AddressSet::kPartMax) {
    return fail(Errc::invalid, fmt::format("{} has too many addresses to scan: at most {}", part,
                                           AddressSet::kPartMax));
  }
  return Span{*first, *last};
}

Result<Span> span_of(std::string_view part) {
  if (part.find('/') != std::string_view::npos) return span_of_network(part);
  const std::size_t dash = part.find('-');
  if (dash != std::string_view::npos) return span_of_range(part, dash);
  const auto ip = parse_ip(part);
  if (ip) return Span{*ip, *ip};
  return fail(Errc::invalid, fmt::format("\"{}\" is not a network, a range or an address: write "
                                         "192.168.20.0/22, 192.168.20.10-40 or 192.168.20.10",
                                         part));
}

}  // namespace

Ip after(Ip ip, std::uint64_t count) {
  for (std::size_t i = ip.v6 ? 16 : 4; i-- > 0 && count > 0;) {
    const std::uint64_t sum = ip.bytes[i] + (count & 0xff);
    ip.bytes[i] = static_cast<std::uint8_t>(sum & 0xff);
    count = (count >> 8) + (sum >> 8);
  }
  check(count == 0, "the address exists");
  return ip;
}

Result<AddressSet> AddressSet::parse(std::string_view text) {
  AddressSet set;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto span = span_of(trimmed(text.substr(0, comma)));
    if (!span) return forward_error(span);
    set.add(span->first, span->last);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  set.settle();
  if (set.size_ > kMax) {
    return fail(Errc::invalid,
                fmt::format("{} addresses are too many for one scan: at most {}", set.size_, kMax));
  }
  return set;
}

void AddressSet::add(const Ip& ip) {
  add(ip, ip);
  settle();
}

void AddressSet::add(const Ip& first, const Ip& last) { runs_.push_back({first, last, 0}); }

void AddressSet::settle() {
  std::sort(runs_.begin(), runs_.end(),
            [](const Run& a, const Run& b) { return a.first < b.first; });
  std::vector<Run> apart;
  for (const Run& run : runs_) {
    const bool joins =
        !apart.empty() && apart.back().first.v6 == run.first.v6 && run.first <= apart.back().last;
    if (joins) {
      apart.back().last = std::max(apart.back().last, run.last);
    } else {
      apart.push_back(run);
    }
  }
  size_ = 0;
  for (Run& run : apart) {
    run.count = count_between(run.first, run.last);
    size_ += run.count;
  }
  runs_ = std::move(apart);
}

Ip AddressSet::at(std::uint64_t index) const {
  for (const Run& run : runs_) {
    if (index < run.count) return after(run.first, index);
    index -= run.count;
  }
  check(false, "the number is one of the set's");
  return {};
}

bool AddressSet::contains(const Ip& ip) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return run.first.v6 == ip.v6 && run.first <= ip && ip <= run.last;
  });
}

}  // namespace ichor
