/**
 * Writes the packages of a release into `dist/packages`, after `npm run build`: `npm run packages [-- --files]`.
 * `SATCHEL_RELEASE_OWNER` and `SATCHEL_RELEASE_REPOSITORY` name the release; formats that need them are left out
 * without them. `--files` writes no archive.
 */
import { join } from 'node:path'
import { packBundle, packNpm } from './packages/bundles.ts'
import { releaseOf } from './packages/release.ts'
import { writePackages } from './packages/write-packages.ts'

const FOLDER = join('dist', 'packages')

const release = releaseOf(process.env)
const { written, left_out } = await writePackages(FOLDER, release)
console.log(`written to ${FOLDER}: ${written.join(', ')}`)
if (left_out.length > 0)
  console.log(`left out, set SATCHEL_RELEASE_OWNER and SATCHEL_RELEASE_REPOSITORY: ${left_out.join(', ')}`)
if (!process.argv.includes('--files')) {
  const tarball = packNpm(join(FOLDER, 'npm'), release)
  console.log(tarball)
  if (written.includes('mcpb')) console.log(await packBundle(join(FOLDER, 'mcpb'), tarball, release))
}
