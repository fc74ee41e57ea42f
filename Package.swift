// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is Swift 6 mode with warnings as errors; dependencies are left as they are.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func target(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "kettle",
  targets: [
    // MARK: Pure
    target("TransferModel"),
    target("TransferCore", ["TransferModel"]),

    // MARK: Tests
    tests("TransferModelTests", ["TransferModel"]),
    tests("TransferCoreTests", ["TransferCore", "TransferModel"]),
  ]
)
