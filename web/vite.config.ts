import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './',
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1500 },
  // One browser test file after the other: they share two cores with the simulation they look at.
  // Node 20 has sockets as browsers have them behind a flag.
  test: { fileParallelism: false, execArgv: ['--experimental-websocket'], testTimeout: 120_000, hookTimeout: 120_000, include: ['tests/**/*.test.ts'] },
});
