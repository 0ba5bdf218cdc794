/**
 * The one door through which this program opens a connection to a target. The target policy is applied three times:
 * to the address that the URL spells (a literal never reaches a lookup), to every address that a name is looked up
 * to, at the very moment of connecting (a name may change between two looks), and to the peer that was connected.
 * The lookup hands on only the addresses that it has judged, so a refused address never sees a packet.
 */

import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import {
  judgeTargetAddress,
  judgeTargetUrl,
  type PolicyRefusal,
  type TargetPolicy,
} from '@loadcurve/core/plan/target-policy'
import { buildConnector } from 'undici'
import { directRead, serveReads } from './direct-read.ts'

export interface TlsOptions {
  /** Refuse certificates that do not verify. */
  readonly rejectUnauthorized: boolean
  /** Certificate authorities to trust, PEM. */
  readonly caPem: string | null
  /** Name to ask for (SNI), when it is not the host of the URL. */
  readonly serverName: string | null
}

export interface ConnectorOptions {
  /** Where the connections go. */
  readonly url: URL
  readonly policy: TargetPolicy
  readonly connectTimeoutMs: number
  readonly tls?: TlsOptions | null
  /** Name lookup; the system's unless a test brings its own. */
  readonly lookup?: NameLookup
  readonly onConnected?: () => void
  /** Read plain sockets directly (see direct-read): only for a client that never pauses an answer. */
  readonly direct?: boolean
}

/** Looks up all addresses of a name. */
export type NameLookup = (
  name: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** A connection that the policy refuses. `code` is the policy's. */
export class TargetRefusedError extends Error {
  readonly code: PolicyRefusal['code']
  readonly whatToDo: string

  constructor(refusal: PolicyRefusal) {
    super(refusal.message)
    this.name = 'TargetRefusedError'
    this.code = refusal.code
    this.whatToDo = refusal.whatToDo
  }
}

/** A connector for undici that opens only connections that the policy allows. */
export function policyConnector(options: ConnectorOptions): buildConnector.connector {
  const { url, policy } = options
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const isDirect = options.direct === true && url.protocol === 'http:'
  const open = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: judgedLookup({ host, port }, options),
    ...tlsOptions(options.tls ?? null),
    ...(isDirect ? directRead() : {}),
  })
  return (connect, callback) => {
    // Judged at each connection, not once: the door must hold whatever the client asks it to open.
    const asked = `${connect.protocol}//${bracketed(connect.hostname)}:${connect.port || port}/`
    const refusal = judgeTargetUrl(asked, policy)
    if (refusal !== null) return callback(new TargetRefusedError(refusal), null)
    open(connect, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const peer = judgeTargetAddress({ host, address: socket.remoteAddress ?? '', port }, policy)
      if (peer === null) {
        options.onConnected?.()
        if (isDirect) serveReads(socket)
        return callback(null, socket)
      }
      socket.destroy()
      callback(new TargetRefusedError(peer), null)
    })
  }
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

function tlsOptions(tls: TlsOptions | null): Partial<buildConnector.BuildOptions> {
  if (tls === null) return {}
  return {
    rejectUnauthorized: tls.rejectUnauthorized,
    ...(tls.caPem === null ? {} : { ca: tls.caPem }),
    ...(tls.serverName === null ? {} : { servername: tls.serverName }),
  }
}

function judgedLookup(
  peer: { readonly host: string; readonly port: number },
  options: ConnectorOptions,
): LookupFunction {
  const lookup = options.lookup ?? (systemLookup as NameLookup)
  return (name, lookupOptions, callback) => {
    lookup(name, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const refusal = addresses
        .map(({ address }) => judgeTargetAddress({ ...peer, address }, options.policy))
        .find((one) => one !== null)
      // One refused address condemns the name: which of them is tried first is not ours to choose.
      if (refusal !== undefined && refusal !== null) return callback(new TargetRefusedError(refusal), '')
      const first = addresses[0]
      if (first === undefined) return callback(notFound(name), '')
      if (lookupOptions.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND' })
}
