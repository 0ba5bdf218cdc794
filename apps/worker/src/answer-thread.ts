/**
 * The thread that answers: fitting and simulating take seconds, and the conductor's own thread must go on showing signs
 * of life and seeing cancellations meanwhile.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { answerRun } from '@loadcurve/core/run/run-answer'
import type { RunFacts } from '@loadcurve/core/run/run-question'

parentPort?.postMessage(answerRun(workerData as RunFacts))
