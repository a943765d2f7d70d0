#pragma once

#include "base/result.h"
#include "machineconfig/typed_config.h"

namespace ichor {

/// Merges a patch's document into the config's document of the same kind, as Talos 1.`minor` does.
/// Lists grow, mappings merge key by key, values replace values; what the patch does not set
/// changes nothing. The exceptions are Talos': plain flags, sizes and selectors are taken from the
/// patch even when it does not set them, and a plain value cannot be set back to zero. Fails where
/// Talos fails: on a value of another type under one key of a free mapping.
Result<void> merge_document(ConfigDocument& into, const ConfigDocument& patch, int minor);

}  // namespace ichor
