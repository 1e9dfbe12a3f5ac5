// The panels of the page, in the order in which the help lists them and Escape closes them; their styles follow it, too.

import type { PanelKind } from "./panel";
import { details } from "./details";
import { contents } from "./contents";
import { table } from "./table";
import { filters } from "./filters";
import { information } from "./information";
import { help } from "./help";

export const PANELS: readonly PanelKind[] = [details, contents, table, filters, information, help];
