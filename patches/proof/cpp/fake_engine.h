#pragma once

// A stand-in for Muse Glimmer's engine, so that the worker's real main loop runs
// as a process on any machine. prove.py puts this in the place of
// muse_glimmer_engine.h and dflash_session.h; everything else that the worker
// includes is ExecuTorch's own.
//
// It answers every prompt with ` to=user<|message|>1 2 3 … N<|eot|>`, one token
// a byte, where N is the number after the last "count to " of the prompt (9
// without one). What it checks of its caller ends the process when it is wrong:
// a check that only logs would be overlooked.
//
// How slow it is comes from the environment, in milliseconds: FAKE_LOAD_MS,
// FAKE_PREFILL_MS (each chunk of 16 tokens), FAKE_STEP_MS, FAKE_ENCODE_MS.
// FAKE_CONTEXT is the context's length in tokens.
//
// Token ids are the model's, or, with --eos_id=257, 0 to 255 for the bytes and
// from 256 on begin_of_text, end_of_text, eom, eot, start, message, image_start,
// image_end, patch.

#include <executorch/extension/llm/runner/constants.h>
#include <executorch/extension/llm/runner/llm_session.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/runtime.h>
#include <pytorch/tokenizers/tokenizer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace executorch::extension::llm {

using ::executorch::runtime::Error;
using ::executorch::runtime::Result;

inline void must(bool held, const char* what) {
  if (!held) {
    std::fprintf(stderr, "fake engine: %s\n", what);
    std::_Exit(70);
  }
}

inline int64_t from_environment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

inline void take(int64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

inline constexpr uint64_t kMuseGlimmerImagePatchTokenId = 200092;
inline constexpr int kMuseGlimmerNoMutableSession = -1;

enum class MuseGlimmerArtifactMode { Auto, Autoregressive, DFlash };

struct MuseGlimmerConfig {
  std::string model_path;
  std::string data_path;
  std::string tokenizer_path;
  std::string pos_embed_path;
  size_t max_image_bytes = 0;
  int32_t max_sessions = 1;
  int64_t eos_id = 200001;
  bool enable_cuda_graph = false;
  MuseGlimmerArtifactMode artifact_mode = MuseGlimmerArtifactMode::Auto;
  int32_t dflash_block_length = 0;
  int32_t dflash_n_draft = 0;
  bool dflash_draft_argmax = true;
};

struct PreparedMuseGlimmerImage {
  int64_t num_soft_tokens = 0;
  double vision_encoder_ms = 0.0;
};

class MuseGlimmerMultimodalSession {
 public:
  virtual ~MuseGlimmerMultimodalSession() = default;
  virtual void stage_image_for_next_prefill(PreparedMuseGlimmerImage image) = 0;
  virtual void clear_staged_image() = 0;
  virtual int mutable_state_token() const = 0;
  virtual void set_prefill_cancelled(const std::atomic<bool>* cancelled) = 0;
};

inline MuseGlimmerMultimodalSession* as_muse_glimmer_multimodal_session(
    LLMSession* session) {
  return dynamic_cast<MuseGlimmerMultimodalSession*>(session);
}

inline Result<std::vector<uint8_t>> decode_muse_glimmer_base64_strict(
    std::string_view encoded,
    size_t max_decoded_bytes) {
  const std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> decoded;
  uint32_t bits = 0;
  int held = 0;
  for (const char each : encoded) {
    const size_t value = alphabet.find(each);
    if (value == std::string_view::npos) {
      if (each == '=') {
        break;
      }
      return Error::InvalidArgument;
    }
    bits = (bits << 6) | static_cast<uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      decoded.push_back(static_cast<uint8_t>(bits >> held));
    }
  }
  if (decoded.size() > max_decoded_bytes) {
    return Error::InvalidArgument;
  }
  return decoded;
}

class FakeTokenizer final : public ::tokenizers::Tokenizer {
 public:
  explicit FakeTokenizer(int64_t eos_id) {
    const bool small = eos_id == 257;
    const std::pair<const char*, uint64_t> names[] = {
        {"<|begin_of_text|>", 200000},
        {"<|end_of_text|>", 200001},
        {"<|eom|>", 200007},
        {"<|eot|>", 200008},
        {"<|start|>", 200022},
        {"<|message|>", 200023},
        {"<|image_start|>", 200080},
        {"<|image_end|>", 200081},
        {"<|patch|>", kMuseGlimmerImagePatchTokenId}};
    uint64_t next = 256;
    for (const auto& [name, id] : names) {
      named_.emplace_back(name, small ? next++ : id);
    }
    // The worker writes the model's own id for a picture, whatever was asked.
    named_.emplace_back("<|patch|>", kMuseGlimmerImagePatchTokenId);
  }

  ::tokenizers::Error load(const std::string&) override {
    return ::tokenizers::Error::Ok;
  }

  bool is_loaded() const override {
    return true;
  }

  ::tokenizers::Result<std::vector<uint64_t>>
  encode(const std::string& text, int8_t, int8_t) const override {
    std::vector<uint64_t> ids;
    for (size_t at = 0; at < text.size();) {
      const auto name = std::find_if(
          named_.begin(), named_.end(), [&](const auto& each) {
            return text.compare(at, each.first.size(), each.first) == 0;
          });
      if (name == named_.end()) {
        ids.push_back(static_cast<unsigned char>(text[at++]));
      } else {
        ids.push_back(name->second);
        at += name->first.size();
      }
    }
    return ids;
  }

  ::tokenizers::Result<std::string> decode(uint64_t, uint64_t token, bool)
      const override {
    return id_to_piece(token);
  }

  ::tokenizers::Result<std::string> id_to_piece(uint64_t token) const override {
    if (token < 256) {
      return std::string(1, static_cast<char>(token));
    }
    for (const auto& [name, id] : named_) {
      if (id == token) {
        return name;
      }
    }
    return std::string("?");
  }

  ::tokenizers::Result<uint64_t> piece_to_id(
      const std::string& piece) const override {
    for (const auto& [name, id] : named_) {
      if (name == piece) {
        return id;
      }
    }
    return ::tokenizers::Error::OutOfRange;
  }

 private:
  std::vector<std::pair<std::string, uint64_t>> named_;
};

// The states of all sessions, as a backend keeps them: which is selected decides
// what a method runs on, and with sessions there is no method without one.
struct FakeStates {
  bool rebinds = false;
  std::set<int> live;
  int next = 0;
};

class FakeSession final : public LLMSession,
                          public MuseGlimmerMultimodalSession {
 public:
  FakeSession(FakeStates& states, const FakeTokenizer& tokenizer)
      : states_(states),
        tokenizer_(tokenizer),
        token_(states.rebinds ? states.next++ : kMuseGlimmerNoMutableSession) {
    states_.live.insert(token_);
  }

  ~FakeSession() override {
    states_.live.erase(token_);
  }

  Error prefill_tokens(
      const std::vector<uint64_t>& tokens,
      const SamplingConfig*) override {
    must(std::this_thread::get_id() == owner_, "a session on two threads");
    must(!tokens.empty(), "a prefill of nothing");
    must(!poisoned_, "a prefill after an error without a reset");
    const auto image = std::exchange(image_, std::nullopt);
    keep_image_once_ = false;
    must(!image || resident_.empty(), "a picture behind other tokens");
    const auto patches = std::count(
        tokens.begin(), tokens.end(), kMuseGlimmerImagePatchTokenId);
    must(patches == (image ? image->num_soft_tokens : 0), "patches, no picture");
    stop_ = false;
    constexpr size_t kChunk = 16;
    const int64_t chunk_ms = from_environment("FAKE_PREFILL_MS", 0);
    if (chunk_ms > 0) {
      std::fprintf(stderr, "fake engine: prefill of %zu\n", tokens.size());
    }
    for (size_t at = 0; at < tokens.size(); at += kChunk) {
      if (prefill_cancelled_ != nullptr && *prefill_cancelled_) {
        poisoned_ = true;
        std::fprintf(stderr, "fake engine: gave up a prefill at %zu\n", at);
        return Error::InvalidState;
      }
      take(chunk_ms);
      const size_t end = std::min(at + kChunk, tokens.size());
      resident_.insert(
          resident_.end(), tokens.begin() + at, tokens.begin() + end);
    }
    answer_ = answer();
    return Error::Ok;
  }

  Result<DecodeResult> decode_one(const SamplingConfig&) override {
    must(std::this_thread::get_id() == owner_, "a session on two threads");
    must(!poisoned_, "a step after an error without a reset");
    if (stop_) {
      return DecodeResult{0, "", false, true};
    }
    take(from_environment("FAKE_STEP_MS", 0));
    must(!answer_.empty(), "a step beyond the end of the turn");
    const uint64_t token = answer_.front();
    if (answer_.size() == 1) {
      answer_.clear();
      return DecodeResult{token, *tokenizer_.id_to_piece(token), true, true};
    }
    answer_.erase(answer_.begin());
    resident_.push_back(token);
    return DecodeResult{token, *tokenizer_.id_to_piece(token), false, false};
  }

  int64_t position() const override {
    return static_cast<int64_t>(resident_.size());
  }

  Error reset() override {
    resident_.clear();
    answer_.clear();
    poisoned_ = false;
    stop_ = false;
    if (!std::exchange(keep_image_once_, false)) {
      image_.reset();
    }
    return Error::Ok;
  }

  void stop() override {
    stop_ = true;
  }

  void stage_image_for_next_prefill(PreparedMuseGlimmerImage image) override {
    image_ = image;
    keep_image_once_ = true;
  }

  void clear_staged_image() override {
    image_.reset();
    keep_image_once_ = false;
  }

  int mutable_state_token() const override {
    return token_;
  }

  void set_prefill_cancelled(const std::atomic<bool>* cancelled) override {
    prefill_cancelled_ = cancelled;
  }

 private:
  std::vector<uint64_t> answer() const {
    std::string prompt;
    for (const uint64_t token : resident_) {
      prompt += *tokenizer_.id_to_piece(token);
    }
    const std::string ask = "count to ";
    const size_t asked = prompt.rfind(ask);
    const int64_t most = asked == std::string::npos
        ? 9
        : std::atoll(prompt.c_str() + asked + ask.size());
    std::string text = " to=user<|message|>1";
    for (int64_t number = 2; number <= most; ++number) {
      text += " " + std::to_string(number);
    }
    return *tokenizer_.encode(text + "<|eot|>", 0, 0);
  }

  FakeStates& states_;
  const FakeTokenizer& tokenizer_;
  const int token_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::vector<uint64_t> resident_;
  std::vector<uint64_t> answer_;
  std::optional<PreparedMuseGlimmerImage> image_;
  bool keep_image_once_ = false;
  bool poisoned_ = false;
  std::atomic<bool> stop_{false};
  const std::atomic<bool>* prefill_cancelled_ = nullptr;
};

class MuseGlimmerEngine final : public LLMEngine {
 public:
  static Result<std::unique_ptr<MuseGlimmerEngine>> create(
      const MuseGlimmerConfig& config) {
    ::executorch::runtime::runtime_init(); // as loading a model does
    take(from_environment("FAKE_LOAD_MS", 0));
    return std::unique_ptr<MuseGlimmerEngine>(new MuseGlimmerEngine(config));
  }

  Result<std::unique_ptr<LLMSession>> create_session() override {
    if (static_cast<int32_t>(states_.live.size()) >= config_.max_sessions) {
      return Error::InvalidState;
    }
    return std::unique_ptr<LLMSession>(new FakeSession(states_, tokenizer_));
  }

  LLMServingCapacity serving_capacity() const override {
    return {config_.max_sessions, 0};
  }

  const std::unordered_map<std::string, int64_t>& metadata() const override {
    return metadata_;
  }

  ::tokenizers::Tokenizer* tokenizer() {
    return &tokenizer_;
  }

  bool has_vision() const {
    return true;
  }

  Result<PreparedMuseGlimmerImage> prepare_image_from_bytes(
      const std::vector<uint8_t>& encoded,
      int session_token = kMuseGlimmerNoMutableSession) {
    if (encoded.empty()) {
      return Error::InvalidArgument;
    }
    if (states_.rebinds && states_.live.count(session_token) == 0) {
      std::fprintf(stderr, "fake engine: no session for a picture\n");
      return Error::InvalidState;
    }
    const int64_t encode_ms = from_environment("FAKE_ENCODE_MS", 0);
    take(encode_ms);
    std::fprintf(
        stderr,
        "fake engine: picture %d, %zu bytes, for session %d\n",
        ++pictures_,
        encoded.size(),
        session_token);
    return PreparedMuseGlimmerImage{4, static_cast<double>(encode_ms)};
  }

 private:
  explicit MuseGlimmerEngine(const MuseGlimmerConfig& config)
      : config_(config), tokenizer_(config.eos_id) {
    states_.rebinds = config.max_sessions > 1;
    metadata_[kMaxContextLen] = from_environment("FAKE_CONTEXT", 4096);
  }

  MuseGlimmerConfig config_;
  FakeTokenizer tokenizer_;
  FakeStates states_;
  std::unordered_map<std::string, int64_t> metadata_;
  int pictures_ = 0;
};

} // namespace executorch::extension::llm
