// Lets the site run without a network after the first visit. `cargo xtask site` writes the names of
// the files and the version, a hash of their contents, into the two lines below.

const VERSION = '/*version*/';
const FILES = [/*files*/];

const kept = `kreisel-${VERSION}`;
const later = `kreisel-later-${VERSION}`;

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(kept).then((cache) => cache.addAll(FILES)));
});

// files of one version belong together: those of another go when this one takes over
self.addEventListener('activate', (event) => {
  const drop = (names) =>
    names
      .filter((n) => n.startsWith('kreisel-') && n !== kept && n !== later)
      .map((n) => caches.delete(n));
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(drop(names)))
      .then(() => self.clients.claim()),
  );
});

/** What is kept; else from the network, and kept if it belongs to the site. */
async function answer(request) {
  const cache = await caches.open(kept);
  // the address names a scene behind the question mark; the page is the same
  const found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  const more = await caches.open(later);
  const seen = await more.match(request);
  if (seen) return seen;
  const fresh = await fetch(request);
  if (fresh.ok && request.url.startsWith(self.registration.scope))
    await more.put(request, fresh.clone());
  return fresh;
}

self.addEventListener('fetch', (event) => {
  if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
