import { once } from '../../../server/plugin.ts'
import { stem } from './words.ts'

/** Words that mean about the same to a programmer. A word may be in several groups. */
export const synonymGroups: () => ReadonlyMap<string, readonly string[]> = once(() =>
  groupsOf(`
raise bump increase grow extend enlarge lift higher longer allocate
lower reduce decrease shrink cut shorten smaller
add introduce insert include put attach append
remove delete drop discard strip eliminate clear wipe clean purge erase prune
replace swap exchange substitute migrate convert switch change move
create make build generate construct produce
upgrade update bump newer latest move
downgrade pin older freeze fix
store save keep hold persist retain write record
read load fetch get retrieve pull obtain
cache memoize memoise memo prime warm remember
wait sleep delay pause await block
sleep delay pause
retry repeat rerun redo reattempt resend
send post push deliver emit publish dispatch sender
check verify validate assert ensure inspect expect verification validation assertion
parse tokenize tokenise tokenizer lex decode feed
run execute launch start invoke call
begin start boot startup launch
stop kill terminate end quit abort sigkill exit
disable skip ignore suppress silence bypass relax exclude
enable allow permit
lock mutex semaphore exclusive
serialize sequential sequentially queue
parallel parallelize parallelise concurrently concurrent simultaneous simultaneously
thread worker goroutine
memory heap ram
folder directory dir workspace
recursion recursive recursively recurse
walk traverse iterate crawl visit traversal
database db
row record entry
query statement lookup sql
column field
json jsonb
index key
test spec suite testing
flaky unstable intermittent flake
ci runner pipeline
compile build transpile
bundle bundler webpack rollup
container docker image pod
image picture photo graphic
client browser frontend
page view screen
server backend service daemon
account user customer
login session signin
token jwt credential
password passphrase
certificate cert tls ssl https
error exception failure
crash die panic
limit maximum max cap threshold bound ceiling quota
timeout deadline expire
expiry expiration expire ttl
connection socket
checkout acquire lease
url link address uri
library package dependency module lib
install installation
version release
config configuration setting option
env variable
variable env
cron schedule nightly
lazy lazily defer deferred late
eager eagerly upfront prefetch preload
synchronous synchronously sync blocking
asynchronous asynchronously async await promise
promise then chain
whole entire full complete everything
rebuild recreate regenerate reindex
sort order
filter exclude
batch chunk bulk
css stylesheet style
animate animation transition
render rerender draw paint
regex regexp pattern
encoding charset
date timestamp datetime
clock time timezone tz
detect guess sniff infer recognize recognise discover
watch watcher monitor observe inotify
poll polling ask
money amount price currency
mobile phone
global globally singleton wide
copy vendor vendored duplicate
patch patched modify modified monkey
wrap surround enclose
inline embed
restart reboot
deploy deployment rollout
count total
random arbitrary
bind listen
escape sanitize sanitise quote
scale resize resizing
offload outsource
lock exclusive
virtual virtualize virtualise
initial first
sign signature
hash digest
unique uniqueness
constraint restriction
load import
import importing
shell bash sh
submodule submodules
readiness liveness health
verbose debug
compress gzip zip
string text
compare comparison
native addon
dynamically runtime
forever permanently never
back backoff backwards
exponential exponentially
asynchronous nonblocking
visibility hide visible
minify minification minifier
yield yielding setimmediate
gc garbage collection
mock stub fake
throttle debounce
share shared reuse
handwritten manual manually hand
level severity
permission permissions access right writable chmod
chown owner ownership own
previous earlier older former revert rollback
anonymous unnamed nameless
hide shadow mask conceal
ask query poll
finish finished complete completed done ready
continue proceed resume
global single one
color ansi highlight
derive compute calculate infer
core cpu processor
kubernetes k8s cluster
postgres postgresql pg
javascript js
typescript ts
python py
repository repo
argument parameter flag option switch
temporary temp tmp
production prod
development dev
admin administrator root superuser
backup dump export
partition shard
emulate emulation emulator simulate simulator
subtree submodule vendor
debounce delay wait
previous last
connect connection
reset abort
host runner agent machine
executable binary program
argument arg
definition schema declaration
release tag
deploy ship
upgrade renew
legacy old
redirect forward route
prefix beginning
suffix ending
header heading
hang freeze stall stuck
slow slowly latency
crash segfault abort
broken corrupt damaged
obsolete stale outdated
sanitise clean
precompute precalculate precompiled
interval period every
lookup resolve resolution
mirror replica replicate
hardcode hardcoded constant literal fixed
guess heuristic
override overrule force
fallback fall
intercept hook middleware
allocate reserve
release free
nested nesting
flatten flat
expand unfold
collapse fold
split divide separate
merge combine join concatenate
trim strip
convert transform translate map
normalize canonical
encrypt cipher
subscribe listen
notify signal
schedule plan
throttle ratelimit
descriptor handle fd
format prettify reformat
slow sluggish crawl lag
fast quick speed performance perf
big large huge
many multiple several
pod container
modal dialog popup
click tap press
mail email smtp
function lambda serverless
repo repository
endpoint route handler controller
middleware interceptor hook
response reply answer
event signal message notification
topic channel
job task
schema model structure
null undefined nil none
default fallback
flag option switch toggle
duplicate dedupe deduplicate
loop iterate iteration cycle
array list vector
map dict dictionary hashmap
integer int numeric
float double decimal
bool boolean
cast coerce convert
type typing annotation
log print logger logging trace
measure profile benchmark metric
backup snapshot dump
restore recover recovery
proxy gateway
machine host box instance vm runner
root superuser sudo admin
secret credential
redirect forward reroute
freeze hang stuck deadlock
stream streaming pipe
trigger fire invoke
explicit explicitly manual manually
skip omit leave
catch handle handler
raise throw
reject rejection rejected
mount attach bind
emulate emulation simulate simulation
clone copy fork
override overwrite supersede
auth authentication authenticate authorization authorize
dependency deps dep
package pkg
command cmd
argument arg parameter param
attribute attr property prop
temporary temp tmp
production prod
development dev
reference ref
initialize init initial initialise
documentation docs doc
performance perf
connection conn
identifier id
filesystem fs
python py
markdown md
yaml yml
stale outdated obsolete old
oom outofmemory
split break divide slice
stop prevent prevents halt
merge join squash
force enforce explicitly
permit let allow accept
wait linger block
pick extract select choose
cut drop sever close
stable deterministic consistent
vary differ fluctuate
whole entire complete monolithic
component widget element
function func fn method
exit quit leave
interrupt abort cancel
port endpoint
backport cherrypick pick
suppress silence mute hide
warning notice deprecation
group batch cohort
heap memory
visible shown display show
store stash stow
fetch download
upload put transfer
pass inject hand give
expose publish export
space room capacity
silently quietly
`),
)

function groupsOf(table: string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [n, line] of table.trim().split('\n').entries()) {
    for (const word of new Set(line.split(' ').map(stem)))
      groups.set(word, [...(groups.get(word) ?? []), `group ${n}`])
  }
  return groups
}
