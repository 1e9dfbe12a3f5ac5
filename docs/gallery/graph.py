"""
A graph without vectors
=======================

The 77 characters of *Les Misérables* and how often they meet, a graph that comes with networkx
(``pip install networkx``). There are no vectors at all: characters that meet the same people are neighbours.
"""

import networkx

import mrsne

graph = networkx.les_miserables_graph()
data = mrsne.RelationalData.from_networkx(graph, node="character")
data

# %%

embedding = mrsne.MRSNE(perplexity=8, random_state=0).fit_transform(data)
embedding.to_html("miserables.html", data, title="Les Misérables")

# %%
# Two linked kinds work in the same way. The Southern Women graph has 18 women and the 14 events they went to. An
# attribute of the nodes says which kind each is; in this graph it is 0 or 1, so give it names first.

graph = networkx.davis_southern_women_graph()
for _, attributes in graph.nodes(data=True):
    attributes["kind"] = "woman" if attributes.pop("bipartite") == 0 else "event"
data = mrsne.RelationalData.from_networkx(graph, kind="kind")
embedding = mrsne.MRSNE(perplexity=5, random_state=0).fit_transform(data)
mrsne.plot.map_figure(embedding, data, size=7).savefig("women.png", dpi=90)
