/**
 * The states of a run, of a step's attempt and of a shard. Each moves forward only; whoever finds one half-way
 * (after a crash) may close it, never reopen it.
 */

export const RUN_STATES = ['waiting', 'running', 'finished', 'failed', 'cancelled'] as const
/** `finished`: the plan was carried out, whatever the answer; `failed`: it could not be. */
export type RunState = (typeof RUN_STATES)[number]

export const STEP_STATES = ['running', 'finished', 'failed', 'abandoned'] as const
/** `abandoned`: its conductor went away; the step is measured again under the next attempt number. */
export type StepState = (typeof STEP_STATES)[number]

export const SHARD_STATES = ['assigned', 'ready', 'finished', 'failed'] as const
/** `ready`: its load process is warm and waits for the start; `finished`: its record is stored. */
export type ShardState = (typeof SHARD_STATES)[number]

/** Is the run over, so that nothing about it will change any more? */
export function isOver(state: RunState): boolean {
  return state !== 'waiting' && state !== 'running'
}
