import type { CodeText } from '../codes.ts'

/** Why the load generator was not to be trusted. */
export const GENERATOR_CODES: Readonly<Record<string, CodeText>> = {
  'generator-unhealthy': {
    meaning: 'The load generator was too slow itself, so its figures are partly its own.',
    next: 'Give it more cores or more load processes, and keep other work off its machine.',
  },
  'receive-lag': {
    meaning: 'Answers waited in the load process before they were stamped.',
    next: 'Spread the load over more load processes.',
  },
  'event-loop-delay': {
    meaning: 'The load process was blocked for longer than a measurement may err.',
    next: 'Spread the load over more load processes, and keep other work off the machine.',
  },
  'dispatch-skew': {
    meaning: 'Requests left later than the schedule said.',
    next: 'Spread the load over more load processes, or lower the rate.',
  },
  'calibration-lag': {
    meaning: 'Against a known answer on its own machine the generator measured too much.',
    next: 'Keep other work off the machine and start the run again.',
  },
  'cpu-saturated': {
    meaning: 'The load process used its processor nearly all the time.',
    next: 'Spread the load over more load processes or machines.',
  },
  'arrivals-dropped': {
    meaning: 'More requests were due than may be in flight, and the rest was dropped.',
    next: 'Lower the rate, or raise the limit if the target can take more.',
  },
  'parse-queue-full': {
    meaning: 'Answers came faster than they could be parsed.',
    next: 'Spread the load over more load processes.',
  },
  'readings-missing': {
    meaning: 'The load process reported nothing about its own health.',
    next: 'Start the run again; if it happens twice, look at the worker’s log.',
  },
}
