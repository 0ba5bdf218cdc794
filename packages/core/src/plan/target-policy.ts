/**
 * Which addresses may be put under load. A load generator that takes URLs over an API is a weapon, so hosts are
 * refused unless they are allowed, and some are refused whatever the list says: link-local and cloud metadata
 * addresses, addresses that are no single host, and our own ports.
 *
 * These are pure rules, applied three times: to the literal in the plan (`judgeTargetUrl`, a quick answer in the API),
 * to the addresses that a name was looked up to, and to the peer that was really connected (`judgeTargetAddress`, in
 * the load process), because a name can change between two looks. The URL grammar accepted here is narrower than that
 * of any URL parser, so that nothing is read one way here and another way by the HTTP client.
 */
import type { IpAddress, IpBlock } from './ip-address.ts'
import {
  embeddedIpv4,
  isInBlock,
  looksLikeIpv4,
  parseIpAddress,
  parseIpBlock,
  unmapped,
} from './ip-address.ts'

export interface TargetPolicy {
  /** Exact names and `*.suffix` patterns, lower case. */
  readonly names: readonly string[]
  readonly blocks: readonly IpBlock[]
  readonly loopback: boolean
  /** `*`: any host, except those that are refused always. */
  readonly anyHost: boolean
  /** Our own API, Postgres and Redis. Their ports are refused on these hosts and on loopback. */
  readonly ownEndpoints: readonly { readonly host: string; readonly port: number }[]
}

export interface PolicyRefusal {
  readonly code:
    | 'url-malformed'
    | 'url-scheme-refused'
    | 'url-userinfo-refused'
    | 'target-not-allowed'
    | 'target-link-local'
    | 'target-metadata'
    | 'target-not-a-host'
    | 'target-own-port'
  readonly message: string
  readonly whatToDo: string
}

export interface TargetUrlParts {
  readonly scheme: 'http' | 'https'
  /** Lower case, without brackets or trailing dot. */
  readonly host: string
  readonly port: number
  readonly path: string
}

/**
 * The policy of an allow-list, as in `LOADCURVE_TARGETS`: entries separated by commas or spaces, each `loopback`, a
 * name, `*.suffix`, an address, an address block, or `*`. An empty list allows loopback only.
 *
 * @throws RangeError quoting an entry that is none of these
 */
export function parseTargetPolicy(
  allowList: string,
  ownEndpoints: TargetPolicy['ownEndpoints'] = [],
): TargetPolicy {
  const entries = allowList
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
  const names: string[] = []
  const blocks: IpBlock[] = []
  for (const entry of entries) {
    if (entry === 'loopback' || entry === 'localhost' || entry === '*') continue
    const block = parseIpBlock(entry)
    if (block !== null) blocks.push(block)
    else if (!looksLikeIpv4(entry) && /^(\*\.)?[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/.test(entry))
      names.push(entry)
    else throw new RangeError(`not a host, pattern or address block in the list of targets: "${entry}"`)
  }
  const loopback =
    entries.length === 0 || entries.some((entry) => entry === 'loopback' || entry === 'localhost')
  return { names, blocks, loopback, anyHost: entries.includes('*'), ownEndpoints }
}

/** Why a URL may not be a target, or null. Names that pass must be judged again by their addresses. */
export function judgeTargetUrl(url: string, policy: TargetPolicy): PolicyRefusal | null {
  const parts = parseTargetUrl(url)
  if ('code' in parts) return parts
  if (parseIpAddress(parts.host) !== null) {
    return judgeTargetAddress({ host: parts.host, address: parts.host, port: parts.port }, policy)
  }
  if (looksLikeIpv4(parts.host)) return refusals.malformed(url, 'its host is a malformed IPv4 number')
  if (METADATA_NAMES.includes(parts.host)) return refusals.metadata(parts.host)
  if (isOwnEndpoint({ host: parts.host, address: null, port: parts.port }, policy)) {
    return refusals.ownPort(parts.host, parts.port)
  }
  return isNameAllowed(parts.host, policy) ? null : refusals.notAllowed(parts.host)
}

/**
 * Why an address may not be connected to, or null. For a looked-up or connected address, `host` is the name that the
 * URL carries; for a literal it is the literal itself.
 */
export function judgeTargetAddress(
  peer: { readonly host: string; readonly address: string; readonly port: number },
  policy: TargetPolicy,
): PolicyRefusal | null {
  const parsed = parseIpAddress(peer.address)
  if (parsed === null) return refusals.notAllowed(peer.address)
  const address = unmapped(parsed)
  const always = [address, ...embeddedIpv4(address)].map((one) => refusedAlways(one, peer.address))
  const refusal = always.find((one) => one !== null)
  if (refusal != null) return refusal
  if (isOwnEndpoint({ host: peer.host.toLowerCase(), address, port: peer.port }, policy)) {
    return refusals.ownPort(peer.host, peer.port)
  }
  return isAddressAllowed(address, peer.host.toLowerCase(), policy) ? null : refusals.notAllowed(peer.address)
}

/** The parts of a plain http(s) URL, or why it is refused. */
export function parseTargetUrl(url: string): TargetUrlParts | PolicyRefusal {
  // Anything that a URL parser would strip, decode or map (spaces, controls, backslashes, non-ASCII) is refused.
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(url))
    return refusals.malformed(url, 'it holds spaces, backslashes or non-ASCII')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase()
  if (scheme === undefined) return refusals.malformed(url, 'it has no scheme')
  if (scheme !== 'http' && scheme !== 'https') return refusals.scheme(scheme)
  const match = /^[^:]+:\/\/([^/?#]*)([^#]*)(#.*)?$/.exec(url)
  const authority = match?.[1] ?? ''
  if (authority.includes('@')) return refusals.userinfo
  const parts = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?)(?::(\d{1,5}))?$/.exec(
    authority,
  )
  if (match === null || parts?.[1] === undefined) return refusals.malformed(url, 'its host is malformed')
  const port = parts[2] === undefined ? (scheme === 'http' ? 80 : 443) : Number(parts[2])
  if (port < 1 || port > 65_535) return refusals.malformed(url, 'its port is out of range')
  const host = parts[1]
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  if (parts[1].startsWith('[') && parseIpAddress(host) === null)
    return refusals.malformed(url, 'its host is malformed')
  return { scheme, host, port, path: match[2] ?? '' }
}

const blocks = (...texts: readonly string[]): readonly IpBlock[] =>
  texts.map((text) => parseIpBlock(text)).filter((block) => block !== null)

const LOOPBACK = blocks('127.0.0.0/8', '::1/128')
const LINK_LOCAL = blocks('169.254.0.0/16', 'fe80::/10')
// Fixed addresses outside link-local where clouds answer with credentials: AWS over IPv6, Alibaba, Azure, Oracle.
const METADATA = blocks('169.254.169.254', 'fd00:ec2::/32', '100.100.100.200', '168.63.129.16', '192.0.0.192')
const METADATA_NAMES: readonly string[] = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]
// "This network" (which Linux connects to loopback), multicast, reserved and broadcast, unspecified.
const NOT_A_HOST = blocks('0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', '::/128', 'ff00::/8')

const isInAny = (address: IpAddress, list: readonly IpBlock[]): boolean =>
  list.some((block) => isInBlock(address, block))

function refusedAlways(address: IpAddress, shown: string): PolicyRefusal | null {
  if (isInAny(address, METADATA)) return refusals.metadata(shown)
  if (isInAny(address, LINK_LOCAL)) return refusals.linkLocal(shown)
  return isInAny(address, NOT_A_HOST) ? refusals.notAHost(shown) : null
}

function isNameAllowed(name: string, policy: TargetPolicy): boolean {
  if (policy.anyHost || (policy.loopback && isLoopbackName(name))) return true
  return policy.names.some(
    (entry) => entry === name || (entry.startsWith('*.') && name.endsWith(entry.slice(1))),
  )
}

const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')

function isAddressAllowed(address: IpAddress, host: string, policy: TargetPolicy): boolean {
  if (isInAny(address, policy.blocks)) return true
  // An allowed name that points at this machine would open every local service: that takes `loopback`.
  if ([address, ...embeddedIpv4(address)].some((one) => isInAny(one, LOOPBACK))) {
    return policy.loopback && isInAny(address, LOOPBACK)
  }
  if (policy.anyHost) return true
  return parseIpAddress(host) === null && !isLoopbackName(host) && isNameAllowed(host, policy)
}

function isOwnEndpoint(
  peer: { readonly host: string; readonly address: IpAddress | null; readonly port: number },
  policy: TargetPolicy,
): boolean {
  const local = isLoopbackName(peer.host) || (peer.address !== null && isInAny(peer.address, LOOPBACK))
  return policy.ownEndpoints.some((own) => {
    if (own.port !== peer.port) return false
    const ownAddress = parseIpAddress(own.host)
    const same =
      ownAddress !== null && peer.address !== null && unmapped(ownAddress).value === peer.address.value
    return local || same || own.host.toLowerCase() === peer.host
  })
}

// What stands before an @ may be a password, and messages are logged.
const withoutUserinfo = (url: string): string => url.replace(/^(.*?\/\/)?.*@/s, '$1...@')

const refusals = {
  malformed: (url: string, why: string): PolicyRefusal => ({
    code: 'url-malformed',
    message: `"${withoutUserinfo(url).slice(0, 200)}" cannot be used as a URL: ${why}`,
    whatToDo: 'Write it plainly, as in http://127.0.0.1:8000/v1',
  }),
  scheme: (scheme: string): PolicyRefusal => ({
    code: 'url-scheme-refused',
    message: `The scheme "${scheme}" is refused`,
    whatToDo: 'Use http or https',
  }),
  userinfo: {
    code: 'url-userinfo-refused',
    message: 'The URL carries a user name or password',
    whatToDo: 'Name the key in apiKeyRef; its value belongs into the worker’s environment',
  } as const,
  notAllowed: (host: string): PolicyRefusal => ({
    code: 'target-not-allowed',
    message: `${host} is not on the list of allowed targets`,
    whatToDo:
      'The operator allows hosts, names or address blocks in LOADCURVE_TARGETS; default is loopback only',
  }),
  linkLocal: (host: string): PolicyRefusal => ({
    code: 'target-link-local',
    message: `${host} is a link-local address, which is never a target`,
    whatToDo: 'Use the server’s routable address',
  }),
  metadata: (host: string): PolicyRefusal => ({
    code: 'target-metadata',
    message: `${host} is a cloud metadata service, which is never a target`,
    whatToDo: 'Use the inference server’s own address',
  }),
  notAHost: (host: string): PolicyRefusal => ({
    code: 'target-not-a-host',
    message: `${host} is not the address of one host`,
    whatToDo: 'Use the server’s own address; for this machine, 127.0.0.1',
  }),
  ownPort: (host: string, port: number): PolicyRefusal => ({
    code: 'target-own-port',
    message: `${host}:${port} is a port of this service itself, which is never a target`,
    whatToDo: 'Use the inference server’s port',
  }),
}
