#pragma once

#include <string_view>

namespace ichor::validate {

/// Whether a text names an image, and whether it says which one for good.
enum class ImageJudgement { invalid, tagged, pinned };

/// By the rules of container registries: [REGISTRY/]NAME[:TAG][@sha256:DIGEST].
ImageJudgement judge_image(std::string_view image);

}  // namespace ichor::validate
