import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [preact()],
  resolve: { conditions: ['source', 'browser', 'module', 'import', 'default'] },
  build: {
    target: 'es2022',
    // A strict content security policy forbids inline modules and data: scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4400', '/openapi.json': 'http://127.0.0.1:4400' } },
})
