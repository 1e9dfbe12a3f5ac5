// A region that is selected: its items are the selection, and it is no longer selected when they are not.

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
  }

  /** Select the items of a region. */
  choose(region: number): void {
    const { pinned, selection } = this.state;
    pinned.value = NO_ITEM;
    this.items = this.content.regions.members(region);
    this.state.region.value = region;
    selection.value = this.items;
  }

  /** Deselect the region, if one is selected. */
  clear(): void {
    if (this.state.region.value !== NO_REGION) this.state.selection.value = [];
  }
}
