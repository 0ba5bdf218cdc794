/** Asks for the API key. It stays in this tab and goes nowhere but to this service. */
import { useState } from 'preact/hooks'

export function SignInPage({ refused, signIn }: { refused: boolean; signIn: (key: string) => void }) {
  const [key, setKey] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (key.trim() !== '') signIn(key.trim())
  }
  return (
    <form class="card" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>This service asks for an API key. Whoever runs it has set one in LOADCURVE_API_KEYS.</p>
      <div class={`field${refused ? ' field-invalid' : ''}`}>
        <label for="api-key">API key</label>
        <input
          id="api-key"
          type="password"
          autocomplete="off"
          value={key}
          aria-describedby="api-key-error"
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <p id="api-key-error" class="violation" aria-live="polite">
          {refused ? 'That key is not known here.' : ''}
        </p>
      </div>
      <button type="submit">Sign in</button>
    </form>
  )
}
