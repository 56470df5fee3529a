/** `1 record`, `2 records`, `0 repositories`: a count with what is counted, as a person says it. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
