import { BlockList, isIP } from 'node:net'

/** Every range that is not on the public internet, by the registries of IANA. */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Within 2000::/3, which alone is public: documentation, benchmarking, and forms that carry an IPv4 address. */
const PRIVATE_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const refusedRanges = new BlockList()
for (const [net, prefix] of PRIVATE_IPV4) refusedRanges.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of PRIVATE_IPV6) refusedRanges.addSubnet(net, prefix, 'ipv6')
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an address is on the public internet; mapped, translated and tunnelled forms of IPv4 are not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !refusedRanges.check(address, 'ipv4')
  if (isIP(address) !== 6 || address.includes('%')) return false
  return globalUnicast.check(address, 'ipv6') && !refusedRanges.check(address, 'ipv6')
}
