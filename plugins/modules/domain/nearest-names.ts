import { nearest } from '../../../server/plugin.ts'

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
