import { sendJson } from './api-error.ts'
import type { Visit } from './routes.ts'
import type { Simulation } from './simulation.ts'

export function truthAnswer({ options }: Simulation, { response }: Visit): void {
  sendJson(response, { law: options.law })
}
