/** Does `work` for each number below `count`, `most` of them concurrently. */
export async function inWaves(
  { count, most }: { readonly count: number; readonly most: number },
  work: (index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < count; from += most) {
    const wave = Math.min(most, count - from)
    await Promise.all(Array.from({ length: wave }, (_, offset) => work(from + offset)))
  }
}
