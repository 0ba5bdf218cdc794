// A load process with a fault: it drives lockstep streams of the metronome as a step, while a timer keeps its event
// loop busy. It answers with what really happened (stamp minus write instant) and with what it knew of it.
import { resolvePlan } from '@loadcurve/core/plan/resolve'
import { calibrate } from '@loadcurve/loadgen/calibrate'
import { MonotonicClock, ShiftedClock } from '@loadcurve/loadgen/clock'
import { StepDrive } from '@loadcurve/loadgen/drive'
import { HealthMonitor } from '@loadcurve/loadgen/health'
import { median, quantiles } from './lags.mjs'
import { openMetronome, readWithText } from './our-client.mjs'

const machineClock = new MonotonicClock()
process.on('disconnect', () => process.exit(1))
process.once('message', async (rung) => {
  process.send(await driveRung(rung))
  process.disconnect()
})

async function driveRung(rung) {
  const { streams, events, everyMs, streamPort, beatPort } = rung
  const calibration = await calibrate({ clock: machineClock, streamPort, streams: 64 })
  const startsAtMs = machineClock.nowMs()
  const clock = new ShiftedClock(machineClock, startsAtMs)
  const health = new HealthMonitor(machineClock)
  const basePath = `/streams/${streams}/events/${events}/every/${everyMs}`
  const nowMs = () => machineClock.nowMs()
  const target = openMetronome({ port: streamPort, basePath, streams, nowMs, onBatchLag: health.onBatchLag })
  await health.start(beatPort)
  const seen = { events: [], ttftsMs: [] }
  const drive = new StepDrive(orderOf(rung), {
    clock,
    prepare: () => prepared(target, clock, seen),
    connections: () => target.readings(),
    health,
    calibration,
    onProgress: null,
    onStop: () => void target.close(),
    aborted: new AbortController().signal,
  })
  const stopBusy = keepBusy(rung)
  const { record } = await drive.run()
  stopBusy()
  health.stop()
  // The process answers for its window, so only what it stamped there is held against it.
  const [fromMs, toMs] = [startsAtMs + record.windowStartMs, startsAtMs + record.windowEndMs]
  const inWindow = seen.events.filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
  return {
    readings: record.readings,
    lagMs: quantiles(inWindow.map(({ atMs, writtenAtMs }) => atMs - writtenAtMs)),
    ttftMs: median(seen.ttftsMs),
    n: inWindow.length,
  }
}

// Exchanges carry the machine's instants, which the write stamps are compared with; the drive counts step time.
function prepared(target, clock, seen) {
  return {
    asked: { inputTokens: 1, outputTokens: 1, sequences: 1 },
    send: async (hooks) => {
      const startsAtMs = machineClock.nowMs() - clock.nowMs()
      const shifted = {
        ...hooks,
        onContentEvent: (atMs, tokens) => hooks.onContentEvent(atMs - startsAtMs, tokens),
      }
      const { result, stream } = await readWithText(target, shifted)
      for (const event of stream) seen.events.push(event)
      if (result.firstContentAtMs !== null) seen.ttftsMs.push(result.firstContentAtMs - result.sentAtMs)
      return shiftedResult(result, startsAtMs)
    },
  }
}

function shiftedResult(result, byMs) {
  return Object.fromEntries(
    Object.entries(result).map(([key, value]) => [
      key,
      key.endsWith('AtMs') && value !== null ? value - byMs : value,
    ]),
  )
}

// The pauses come at irregular times: with a period of their own they would keep missing the bursts, or keep hitting them.
function keepBusy({ busyMs, busyEveryMs }) {
  if (busyMs === 0) return () => {}
  let timer
  const awaitNext = () => {
    timer = setTimeout(
      () => {
        const until = performance.now() + busyMs
        while (performance.now() < until);
        awaitNext()
      },
      busyEveryMs * (0.5 + Math.random()) - busyMs,
    )
  }
  awaitNext()
  return () => clearTimeout(timer)
}

function orderOf({ streams, events, everyMs }) {
  const { target, workload } = resolvePlan({
    name: 'rung',
    target: { baseUrl: 'http://127.0.0.1:1/v1', model: 'metronome' },
  })
  const roundMs = events * everyMs
  return {
    schemaVersion: 1,
    target,
    workload,
    level: { batch: null, concurrency: streams, ratePerS: null },
    sequencesPerRequest: 1,
    part: { shard: 0, shards: 1 },
    window: {
      warmup: { durationMs: 0.5 * roundMs, endedMin: 0, maxMs: 0.5 * roundMs },
      durationMs: 2 * roundMs,
      requestsMin: 0,
      maxMs: 2 * roundMs,
      drainMaxMs: 10_000,
    },
    staggerMs: 0,
    inFlightMax: streams,
    seed: 1,
    promptCalibration: null,
    policy: { allowList: '', ownEndpoints: [] },
    calibrate: false,
  }
}
