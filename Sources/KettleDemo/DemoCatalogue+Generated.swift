// Written by `make catalogue` from assets/demo-catalogue.json; edit that file.
extension DemoCatalogue {
  /// Five guides of 0.7 to 29 MB that take between 14 and 50 seconds to download.
  package static let standard = DemoCatalogue(items: [
    DemoItem(
      title: "Kettle in Ten Minutes",
      fileName: "kettle-in-ten-minutes.pdf",
      byteCount: 716800, bytesPerSecond: 51200,
      sha256: "6ac5c6f2f4d6f243693fde07c6a5ae1bc65a8f56bcc3bdf0ece4ae3af895b6a0"),
    DemoItem(
      title: "Background Transfers Explained",
      fileName: "background-transfers-explained.pdf",
      byteCount: 2420000, bytesPerSecond: 110000,
      sha256: "e3bb6fbfd02c65fc49faf17e4367f9b40180da18f3eb8964497338a812af3a1b"),
    DemoItem(
      title: "Resuming Without Regret",
      fileName: "resuming-without-regret.pdf",
      byteCount: 6100000, bytesPerSecond: 203000,
      sha256: "cd5b85e137314366aff679767d7b311669c25fba03ece45354897d4716ee59ee"),
    DemoItem(
      title: "The Terminal Dashboard Handbook",
      fileName: "the-terminal-dashboard-handbook.pdf",
      byteCount: 11300000, bytesPerSecond: 282000,
      sha256: "dd5f336c79629032c970d916b0ac5f89baa8569b233579bbe51fe7dd77cbd4f8"),
    DemoItem(
      title: "Networking on Linux, the Long Way",
      fileName: "networking-on-linux-the-long-way.pdf",
      byteCount: 29200000, bytesPerSecond: 584000,
      sha256: "414dea3436620f7d5a43e5dceb3ff1de9ff91e496e2934a591195039a8c02760"),
  ])
}
