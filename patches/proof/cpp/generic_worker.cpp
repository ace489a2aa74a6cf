// The shared loop, run_worker_stdio_loop, as the process of any model.

#include <executorch/examples/llm_server/cpp/worker_loop.h>

#include "fake_engine.h"

int main() {
  namespace llm = ::executorch::extension::llm;
  llm::MuseGlimmerConfig config;
  config.max_sessions = 2;
  config.eos_id = 257;
  auto engine = llm::MuseGlimmerEngine::create(config);
  return llm::run_worker_stdio_loop(
      **engine,
      *(*engine)->tokenizer(),
      (*engine)->metadata(),
      /*enable_warm_resume=*/true,
      /*prompt_prefix_ids=*/{256});
}
