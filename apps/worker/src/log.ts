/**
 * The worker's log: JSON lines with run and step in each, readable lines on a terminal. Every line passes through the
 * redactor, so a secret cannot get into the log by any road.
 */
import { redactor } from '@loadcurve/core/run/redact'
import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'
import type { WorkerConfig } from './config.ts'

export type Log = Logger

export function createLog(
  { logLevel, secrets }: WorkerConfig,
  output: NodeJS.WriteStream = process.stdout,
): Log {
  const redact = redactor(secrets)
  // Somebody who no longer reads our log is no reason to stop.
  output.on('error', () => {})
  const sink = output.isTTY ? pretty({ destination: output, sync: true }) : output
  const stream = { write: (line: string) => void sink.write(redact(line)) }
  return pino({ level: logLevel, base: { service: 'worker', pid: process.pid } }, stream)
}
