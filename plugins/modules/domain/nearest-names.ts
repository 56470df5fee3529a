import { nearest } from '../../../server/plugin.ts'
import { compareVersions, parseVersion } from './constraint.ts'

/** The candidates most like a name, at most three. */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  const left = new Set(candidates)
  const near: string[] = []
  for (let found = nearest(name, left); found !== undefined && near.length < 3; found = nearest(name, left)) {
    near.push(found)
    left.delete(found)
  }
  return near
}

/** Refs that a ref may mean, itself first: registries write versions without the "v" of their tags. */
export function spellingsOf(ref: string): readonly string[] {
  const bare = ref.replace(/^v(?=\d)/, '')
  return /^\d/.test(bare) ? [ref, bare === ref ? `v${ref}` : bare] : [ref]
}

/** The refs most like one, at most three: for a version those that share its first numbers, the newest first. */
export function nearestRefs(ref: string, refs: Iterable<string>): string[] {
  const known = [...refs]
  const wanted = parseVersion(ref)
  if (wanted === undefined) return nearestNames(ref, known)
  const alike = known.flatMap((one) => {
    const version = parseVersion(one)
    const differs = version?.findIndex((part, at) => part !== wanted[at])
    const shared = differs === -1 ? version?.length : differs
    return version === undefined || shared === undefined || shared === 0 ? [] : [{ one, version, shared }]
  })
  alike.sort((a, b) => b.shared - a.shared || compareVersions(b.version, a.version))
  const near = alike.map(({ one }) => one).slice(0, 3)
  return near.length > 0 ? near : nearestNames(ref, known)
}
