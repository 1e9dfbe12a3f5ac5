// A region that is selected: those of its items that pass the filters are the selection, and it is no longer selected when
// they are not.

import type { Content } from "./content";
import { NO_REGION } from "./regions";
import { NO_ITEM, type State } from "./state";

export class RegionSelection {
  private items: readonly number[] = [];

  constructor(
    private readonly content: Content,
    private readonly state: State,
  ) {
    state.selection.on((items) => {
      if (items !== this.items) state.region.value = NO_REGION;
    });
    state.passing.on(() => this.extend());
  }

  /** Select the items of a region that pass the filters; false where none does. */
  choose(region: number): boolean {
    const { pinned, selection, passing } = this.state;
    const items = this.content.regions.members(region).filter((item) => passing.value?.[item] !== 0);
    if (!items.length) return false;
    pinned.value = NO_ITEM;
    this.items = items;
    this.state.region.value = region;
    selection.value = this.items;
    return true;
  }

  /** Select what passes now as well; what is selected stays so. */
  private extend(): void {
    const { selection, region, passing } = this.state;
    if (region.value === NO_REGION || this.items.length === this.content.regions.all[region.value].count) return;
    const selected = new Set(this.items);
    const items = this.content.regions.members(region.value).filter((item) => selected.has(item) || passing.value?.[item] !== 0);
    if (items.length === this.items.length) return;
    this.items = items;
    selection.value = items;
  }

  /** Deselect the region, if one is selected. */
  clear(): void {
    if (this.state.region.value !== NO_REGION) this.state.selection.value = [];
  }
}
