import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { addTo } from '../../../server/platform/grouped.ts'
import { processorMs, residentMib } from '../host/child.ts'

/** A process and everything it started, as the system knows them now. Only itself where there is no `/proc`. */
export async function treeOf(pid: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>()
  for (const name of numbersIn('/proc')) {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    addTo(children, parent, name)
  }
  const tree = [pid]
  for (let at = 0; at < tree.length; at += 1) tree.push(...(children.get(tree[at] ?? 0) ?? []))
  return tree
}

/** Processor milliseconds and resident MiB of these processes together. */
export function usageOf(pids: readonly number[]): { readonly cpu: number; readonly rss: number } {
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0)
  return { cpu: sum(pids.map(processorMs)), rss: sum(pids.map(residentMib)) }
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
