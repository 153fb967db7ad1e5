// The site in Firefox, where it is installed: the engine in a worker runs and is edited.

import { describe, expect, test } from 'vitest';
import { Firefox, hasFirefox } from './firefox';
import { address, plain } from './harness';

const SITE = process.env.KREISEL_SITE;

describe.skipIf(!SITE || !hasFirefox)('in Firefox', () => {
  test('a scene runs, a body is made and undone, and nothing complains', async () => {
    const [firefox, site] = [await Firefox.start(), await plain(SITE!)];
    try {
      await firefox.visit(`${address(site)}view.html?plain&scene=features/four-bar.toml`);
      await firefox.until('window.__viewer?.ready === true && window.__viewer.frame.time > 0.3');
      const bodies = await firefox.value<number>('window.__viewer.scene.bodies.length');
      expect(bodies).toBeGreaterThan(2);
      await firefox.value('document.querySelector("#pane-add").click()');
      await firefox.value('document.querySelector(\'[data-create="sphere"]\').click()');
      await firefox.until(`window.__viewer.scene.bodies.length === ${bodies + 1}`);
      await firefox.value('document.querySelector("#undo").click()');
      await firefox.until(`window.__viewer.scene.bodies.length === ${bodies}`);
      // the status says that all is well, no message is an error
      expect(await firefox.value('document.querySelector(".status").textContent')).toBe('live');
      expect(await firefox.value('document.querySelectorAll(".toast.error").length')).toBe(0);
      expect(await firefox.value('window.__viewer.pictures')).toBeGreaterThan(5);
    } finally {
      await firefox.stop();
      site.close();
    }
  });
});
