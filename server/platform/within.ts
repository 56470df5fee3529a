/** Resolves as `work` does; rejects with the error of `late` after `limitMs`. The work itself cannot be ended. */
export async function within<T>(limitMs: number, late: () => Error, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs)
  })
  try {
    return await Promise.race([work(), over])
  } finally {
    clearTimeout(timer)
  }
}
