/**
 * IP addresses in every spelling that a resolver takes, and address blocks.
 *
 * A policy that compares text is easily fooled: `2130706433`, `0x7f.1`, `017700000001` and `::ffff:7f00:1` are all
 * 127.0.0.1 to the operating system. So a literal is first turned into its number, by the rules of `inet_aton` and of
 * the WHATWG URL standard (which agree): one to four parts, each decimal, octal (leading 0) or hexadecimal (0x), the
 * last part filling the bytes that are left. IPv6 follows RFC 4291.
 */

export interface IpAddress {
  readonly version: 4 | 6
  readonly value: bigint
}

export interface IpBlock {
  readonly version: 4 | 6
  readonly value: bigint
  readonly prefixLength: number
}

/**
 * The address that a host literal stands for; null when it is no IP literal (a name, or malformed).
 *
 * @param host without port; IPv6 with or without its brackets
 */
export function parseIpAddress(host: string): IpAddress | null {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  return bare.includes(':') ? parseIpv6(bare) : parseIpv4(bare)
}

/** True when a resolver would read the host as an IPv4 number, well-formed or not: its last part is a number. */
export function looksLikeIpv4(host: string): boolean {
  const last = withoutTrailingDot(host).split('.').at(-1) ?? ''
  return /^(\d+|0[xX][0-9a-fA-F]*)$/.test(last)
}

/** A block such as `10.0.0.0/8` or `fd00::/8`; a bare address is a block of one. Null when it is neither. */
export function parseIpBlock(text: string): IpBlock | null {
  const slash = text.indexOf('/')
  const address = parseIpAddress(slash < 0 ? text : text.slice(0, slash))
  if (address === null) return null
  const bits = bitsOf(address.version)
  if (slash < 0) return { ...address, prefixLength: bits }
  const length = text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return null
  return { ...address, prefixLength: Number(length) }
}

export function isInBlock(address: IpAddress, block: IpBlock): boolean {
  if (address.version !== block.version) return false
  const hostBits = BigInt(bitsOf(block.version) - block.prefixLength)
  return address.value >> hostBits === block.value >> hostBits
}

/**
 * IPv4 addresses inside an IPv6 one: mapped (::ffff:0:0/96), compatible (::/96), translated (::ffff:0:0:0/96),
 * NAT64 (64:ff9b::/96 and 64:ff9b:1::/48), 6to4 (2002::/16), Teredo (2001::/32, server and obfuscated client) and
 * ISATAP (interface identifier ::5efe:a.b.c.d). Empty for IPv4 and for plain IPv6.
 */
export function embeddedIpv4(address: IpAddress): readonly IpAddress[] {
  // :: and ::1 lie in the compatible block but are addresses of their own.
  if (address.version === 4 || address.value <= 1n) return []
  const found = EMBEDDINGS.filter(({ block }) => isInBlock(address, block)).flatMap(({ shifts }) =>
    shifts.map((shift) => ipv4((address.value >> shift) & IPV4_MASK)),
  )
  if (isInBlock(address, TEREDO)) found.push(ipv4(~address.value & IPV4_MASK))
  const identifier = (address.value >> 32n) & IPV4_MASK
  if (identifier === 0x5efen || identifier === 0x02005efen) found.push(ipv4(address.value & IPV4_MASK))
  return found
}

/** An IPv4-mapped IPv6 address as the IPv4 address that the socket really uses; anything else unchanged. */
export function unmapped(address: IpAddress): IpAddress {
  return isInBlock(address, MAPPED) ? ipv4(address.value & IPV4_MASK) : address
}

const IPV4_MASK = 0xffffffffn
const ipv4 = (value: bigint): IpAddress => ({ version: 4, value })
const bitsOf = (version: 4 | 6): number => (version === 4 ? 32 : 128)

function parseIpv4(host: string): IpAddress | null {
  const parts = withoutTrailingDot(host).split('.')
  if (parts.length > 4) return null
  const numbers = parts.map(parseIpv4Part)
  const last = numbers.pop()
  if (last == null || last >= 256n ** BigInt(4 - numbers.length)) return null
  let value = last
  for (const [index, number] of numbers.entries()) {
    if (number === null || number > 255n) return null
    value += number << BigInt(8 * (3 - index))
  }
  return ipv4(value)
}

// `0x` alone is 0 to a URL parser; `08` is no octal number and the whole literal is malformed.
function parseIpv4Part(part: string): bigint | null {
  if (/^0[xX]$/.test(part)) return 0n
  if (/^0[xX][0-9a-fA-F]{1,32}$/.test(part)) return BigInt(part)
  if (/^0[0-7]{1,32}$/.test(part)) return BigInt(`0o${part}`)
  return /^(0|[1-9]\d{0,31})$/.test(part) ? BigInt(part) : null
}

function parseIpv6(host: string): IpAddress | null {
  const text = dottedTailAsGroups(host)
  if (text === null || !/^[0-9a-fA-F:]+$/.test(text)) return null
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')))
  if (head === undefined) return null
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const groups = tail === undefined ? head : [...head, ...new Array<string>(missing).fill('0'), ...tail]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return null
  return { version: 6, value: groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n) }
}

// ::ffff:127.0.0.1 ends in four decimal bytes, which stand for the last two groups.
function dottedTailAsGroups(host: string): string | null {
  const colon = host.lastIndexOf(':')
  const tail = host.slice(colon + 1)
  if (!tail.includes('.')) return host
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(tail)) return null
  const bytes = tail.split('.').map(Number)
  if (bytes.some((byte) => byte > 255)) return null
  const group = (index: number) => ((bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0)).toString(16)
  return `${host.slice(0, colon + 1)}${group(0)}:${group(2)}`
}

function withoutTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

function knownBlock(text: string): IpBlock {
  const block = parseIpBlock(text)
  if (block === null) throw new RangeError(`not an address block: ${text}`)
  return block
}

const MAPPED = knownBlock('::ffff:0:0/96')
const TEREDO = knownBlock('2001::/32')
const EMBEDDINGS = [
  { block: MAPPED, shifts: [0n] },
  { block: knownBlock('::/96'), shifts: [0n] },
  { block: knownBlock('::ffff:0:0:0/96'), shifts: [0n] },
  { block: knownBlock('64:ff9b::/96'), shifts: [0n] },
  { block: knownBlock('64:ff9b:1::/48'), shifts: [0n] },
  { block: knownBlock('2002::/16'), shifts: [80n] },
  { block: TEREDO, shifts: [64n] },
]
