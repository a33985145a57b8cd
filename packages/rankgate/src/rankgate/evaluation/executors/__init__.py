"""Who asks a system besides threads of this process: workers on a cluster, behind one limit."""
