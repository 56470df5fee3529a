/** The address with a host that a program on this machine can open, where it names every interface. */
export function openableAddress(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
