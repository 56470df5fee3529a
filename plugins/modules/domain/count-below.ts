/** How many of the first `length` numbers, which ascend, are below another. */
export function countBelow(numbers: ArrayLike<number>, limit: number, length = numbers.length): number {
  let [from, to] = [0, length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((numbers[middle] ?? limit) < limit) from = middle + 1
    else to = middle
  }
  return from
}
