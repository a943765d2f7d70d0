#pragma once

#include <google/protobuf/timestamp.pb.h>

#include "base/time.h"

namespace ichor::lab {

inline google::protobuf::Timestamp timestamp_of(WallTime time) {
  google::protobuf::Timestamp stamp;
  stamp.set_seconds(time.unix_ms / 1000);
  stamp.set_nanos(static_cast<int>(time.unix_ms % 1000) * 1'000'000);
  return stamp;
}

}  // namespace ichor::lab
