import { sameDigest, sha256 } from '../domain/fingerprint.ts'
import type { RandomBytes } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'

/** Single-use keys for the owner page; kept in memory, as SHA-256. */
export interface Claims {
  /** A new key, valid for 10 minutes. */
  issue(): string
  /** True once for each key, while it is valid. */
  redeem(key: string): boolean
}

const KEY_BYTES = 32
const CLAIM_MS = LIMITS.claimMinutes * 60_000

/** Starts without keys. */
export function createClaims(random: RandomBytes, elapsedMs = () => performance.now()): Claims {
  const open = new Map<string, number>()
  return {
    issue() {
      const key = Buffer.from(random(KEY_BYTES)).toString('base64url')
      open.set(sha256(key), elapsedMs() + CLAIM_MS)
      return key
    },
    redeem(key) {
      const digest = sha256(key)
      const found = [...open].find(([known]) => sameDigest(known, digest))
      if (!found) return false
      open.delete(found[0])
      return elapsedMs() <= found[1]
    },
  }
}
