import type { CodeText } from '../codes.ts'

/** What holds, but with a grain of salt. */
export const CAVEAT_CODES: Readonly<Record<string, CodeText>> = {
  'server-drifted': {
    meaning:
      'The server was not the same at the end of the sweep as at its start: the repeated level differs by more than chance.',
    next: 'Look for heat, other work or a filling cache on the server, and run the plan again.',
  },
  'prefill-from-ttft': {
    meaning:
      'The cost of a prompt is taken from TTFT at the lowest level, not from prompts of several lengths.',
    next: 'Run a plan, which probes three prompt lengths, before you change the prompt length or trust TTFT under load.',
  },
  'throughput-from-littles-law': {
    meaning:
      'The table has no throughput, so it was derived from concurrency and latency and cannot check them.',
    next: 'Bring req_s or output_tok_s, so that Little’s law becomes a test of the table.',
  },
  'typical-is-p50': {
    meaning: 'The table has medians and no means, and medians do not obey Little’s law exactly.',
    next: 'Bring the means too (ttft_mean_ms, tpot_mean_ms).',
  },
  'tpot-from-gaps': {
    meaning: 'There is no TPOT, so the median gap between tokens stands for it.',
    next: 'Bring tpot_ms; a promise on TPOT is judged on nothing else.',
  },
  'tpot-from-e2e': {
    meaning: 'There is no TPOT, so it was taken from E2E less TTFT over the output length.',
    next: 'Bring tpot_ms, so that it does not depend on the output length being right.',
  },
  'tpot-from-littles-law': {
    meaning:
      'There is no TPOT, so it is what throughput, concurrency and TTFT leave for it by Little’s law, which then checks nothing.',
    next: 'Bring tpot_ms or itl_ms.',
  },
  'no-law-fits': {
    meaning: 'No step-time law describes these levels within 10 %.',
    next: 'Measure levels in between; until then only the measured levels are to be believed.',
  },
  'joint-fit-not-converged': {
    meaning: 'The joint fit of throughput, TTFT and TPOT did not settle, so they were fitted one by one.',
    next: 'Look for a level that does not fit in with the others.',
  },
  'law-misses-levels': {
    meaning: 'Played back, the fitted law does not reproduce the measured levels.',
    next: 'Verify the answer with a run at the recommended load.',
  },
  'estimate-differs': {
    meaning: 'Queueing formulas and the simulation do not agree; the simulation is the answer.',
    next: 'Verify the answer with a run at the recommended load.',
  },
  'ttft-above-simulation': {
    meaning: 'Below saturation the measured TTFT is longer than the simulated one.',
    next: 'Draw prompt and answer lengths instead of fixing them, or probe prompts of several lengths; until then TTFT promises are judged harder.',
  },
  'rate-estimated': {
    meaning: 'The rate is the instant estimate, corrected at the promise that was simulated.',
    next: 'Ask in full before you buy.',
  },
  'no-fleet-without-rate': {
    meaning: 'Without a rate that one replica takes there is no fleet to size.',
    next: 'Mend what the reasons name; the demand can then be answered.',
  },
  'demand-is-zero': {
    meaning: 'No traffic needs no replica, spares included.',
    next: 'Give the peak of the traffic that the fleet must carry.',
  },
  'spread-not-in-table': {
    meaning: 'Without p95 columns the spread between requests is the simulation’s alone.',
    next: 'Bring ttft_p95_ms and tpot_p95_ms columns.',
  },
  'saturation-not-seen': {
    meaning: 'The sweep ends before the server is full, so its number of places is unknown.',
    next: 'Measure two levels beyond the point where throughput stops growing.',
  },
  'server-pads-batch': {
    meaning:
      'The levels lie on stairs: the server runs a batch as slowly as the next size that it has captured (CUDA graphs).',
    next: 'Set a batch that is one of the captured sizes, or let the server capture the size you want.',
  },
  'batch-rests-on-ttft': {
    meaning:
      'The TTFT was taken for prefill, which no padding makes longer. If part of it is a delay before the engine (network, gateway, tokeniser) and the server pads its batch, a step is slower than the answer says.',
    next: 'Measure the level that is named, or say to what the server pads (--capture-sizes; none when it pads nothing).',
  },
  'rate-rests-on-ttft': {
    meaning:
      'The same doubt about the rate: behind a delay, a server that pads its batch would break the promise at it.',
    next: 'Measure the level that is named, or say to what the server pads (--capture-sizes; none when it pads nothing).',
  },
  'below-weight-floor': {
    meaning: 'The fitted step time is shorter than reading the weights takes, so something given is wrong.',
    next: 'Check --gpu, --gpus-per-replica and --model, and whether the server decodes speculatively.',
  },
  'kv-memory-below-measured': {
    meaning:
      'The sweep decoded more sequences at once than the computed KV memory holds, so that limit is too low.',
    next: 'Check --gpu, --gpus-per-replica and --model; a cache in fp8 holds twice as many as computed.',
  },
  'retrograde-throughput': {
    meaning: 'Throughput falls again beyond its peak, as it does when KV memory runs out.',
    next: 'Keep below the peak, and look at the server’s preemption count.',
  },
  'gpu-not-in-catalogue': {
    meaning: 'The GPU is not in the catalogue, so no memory was computed.',
    next: 'Name one of the catalogue with --gpu.',
  },
  'model-not-in-catalogue': {
    meaning: 'The model is not in the catalogue, so no memory was computed.',
    next: 'Name one of the catalogue with --model.',
  },
  'model-weights-unknown': {
    meaning: 'No measured size of this model’s weights is known, so no memory limit was computed.',
    next: 'Check the server’s own log for the KV-cache size it found.',
  },
  'output-length-off': {
    meaning: 'The answers were a few per cent longer or shorter than asked for.',
    next: 'Let the server ignore end-of-sequence if the length matters.',
  },
  'input-length-off': {
    meaning: 'The server counted more or fewer prompt tokens than the plan asked for.',
    next: 'Read the lengths that were reached, or give the plan the model’s own tokenizer.',
  },
  'cache-hits-unasked': {
    meaning: 'The prefix cache helped although the plan asked for no shared prefix.',
    next: 'Look for a fixed system prompt or template, or switch the cache off.',
  },
  'first-event-tokens-assumed': {
    meaning: 'The server does not tell how many tokens its first event carries, so one was assumed.',
    next: 'Ask for continuous usage statistics if the server has them.',
  },
  'gaps-between-chunks': {
    meaning: 'The gaps are those between chunks, and a chunk may carry several tokens.',
    next: 'Judge the pace by TPOT, or ask for continuous usage statistics.',
  },
  'output-tokens-unknown': {
    meaning: 'The server reported no token counts, so nothing per token can be said.',
    next: 'Let the server report usage, or give the plan a tokenizer.',
  },
}
