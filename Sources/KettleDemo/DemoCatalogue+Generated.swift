// Written by `make catalogue` from assets/demo-catalogue.json; edit that file.
extension DemoCatalogue {
  /// Guides of 0.7 to 29 MB, one of them behind a login, and two that do not come.
  package static let standard = DemoCatalogue(items: [
    DemoItem(
      title: "Kettle in Ten Minutes",
      fileName: "kettle-in-ten-minutes.pdf",
      byteCount: 716800, bytesPerSecond: 51200,
      sha256: "6ac5c6f2f4d6f243693fde07c6a5ae1bc65a8f56bcc3bdf0ece4ae3af895b6a0", conduct: .serves),
    DemoItem(
      title: "The Terminal Dashboard Handbook",
      fileName: "the-terminal-dashboard-handbook.pdf",
      byteCount: 11300000, bytesPerSecond: 80000,
      sha256: "dd5f336c79629032c970d916b0ac5f89baa8569b233579bbe51fe7dd77cbd4f8", conduct: .serves),
    DemoItem(
      title: "Resuming Without Regret",
      fileName: "resuming-without-regret.pdf",
      byteCount: 6100000, bytesPerSecond: 203000,
      sha256: "cd5b85e137314366aff679767d7b311669c25fba03ece45354897d4716ee59ee", conduct: .breaks),
    DemoItem(
      title: "Members Only (user tea, password pot)",
      fileName: "members-only.pdf",
      byteCount: 1500000, bytesPerSecond: 110000,
      sha256: "7f57ef113d0e8b12b37c9e26d921aed03c1ea4e0fed51f9f5902234e7bdeabf4", conduct: .login),
    DemoItem(
      title: "The Lost Chapter",
      fileName: "the-lost-chapter.pdf",
      byteCount: 0, bytesPerSecond: 110000,
      sha256: "", conduct: .missing),
    DemoItem(
      title: "Atlas of Teapots",
      fileName: "atlas-of-teapots.zip",
      byteCount: 0, bytesPerSecond: 110000,
      sha256: "", conduct: .page),
    DemoItem(
      title: "Background Transfers Explained",
      fileName: "background-transfers-explained.pdf",
      byteCount: 2420000, bytesPerSecond: 60000,
      sha256: "e3bb6fbfd02c65fc49faf17e4367f9b40180da18f3eb8964497338a812af3a1b", conduct: .serves),
    DemoItem(
      title: "Networking on Linux, the Long Way",
      fileName: "networking-on-linux-the-long-way.pdf",
      byteCount: 29200000, bytesPerSecond: 100000,
      sha256: "414dea3436620f7d5a43e5dceb3ff1de9ff91e496e2934a591195039a8c02760", conduct: .serves),
  ])
}
