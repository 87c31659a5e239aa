import type { VNode } from 'preact';
import type { Door } from '../door';

/** Asks for the production record of an account, as a table for a spreadsheet. */
export function Production({ door }: { door: Door }): VNode {
  return (
    <form class="filters" method="get" action={`${door.paths.channel}/production`}>
      <span>
        <label for="account">Account, as in the feed: 42-1001</label>
        <input id="account" name="account" maxlength={193} autocomplete="off" required />
      </span>
      <span>
        <label for="crop_year">Crop year</label>
        <input
          id="crop_year"
          name="crop_year"
          inputmode="numeric"
          pattern="\d{4}|none"
          title="Four digits, or none for loads without a crop year"
          autocomplete="off"
          required
        />
      </span>
      <span>
        <label for="format">Table of</label>
        <select id="format" name="format">
          <option value="csv">loads, with their ids and ticket numbers</option>
          <option value="sums">sums by field and crop</option>
        </select>
      </span>
      <button class="second">Download</button>
    </form>
  );
}
