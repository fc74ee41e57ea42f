/// A value on the heap, copied when one of its owners changes it while there are others. A copy of
/// what contains it costs one reference, however large the value is.
@propertyWrapper
@frozen
public struct CopiedOnWrite<Value: Sendable>: Sendable {
  @usableFromInline var storage: HeapStorage<Value>

  @inlinable
  public init(wrappedValue: Value) { storage = HeapStorage(wrappedValue) }

  @inlinable
  public var wrappedValue: Value {
    _read { yield storage.value }
    // The value that is replaced need not be copied.
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage.value = newValue
      } else {
        storage = HeapStorage(newValue)
      }
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = HeapStorage(storage.value) }
      yield &storage.value
    }
  }

  /// Whether both are the same copy; `false` says nothing about their values.
  @inlinable
  public func isSameCopy(as other: Self) -> Bool { storage === other.storage }
}

extension CopiedOnWrite: Equatable where Value: Equatable {
  @inlinable
  public static func == (one: Self, other: Self) -> Bool {
    one.storage === other.storage || one.storage.value == other.storage.value
  }
}

extension CopiedOnWrite: Hashable where Value: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}

/// A large value that most of its owners lack. Where it is missing it takes a word, and elsewhere
/// it is on the heap and copied like `CopiedOnWrite`.
@propertyWrapper
@frozen
public struct RarelySet<Value: Sendable>: Sendable {
  @usableFromInline var storage: HeapStorage<Value?>?

  @inlinable
  public init(wrappedValue: Value?) {
    storage = wrappedValue == nil ? nil : HeapStorage(wrappedValue)
  }

  @inlinable
  public var wrappedValue: Value? {
    _read {
      if let storage { yield storage.value } else { yield nil }
    }
    set {
      if newValue == nil {
        storage = nil
      } else if isKnownUniquelyReferenced(&storage), let storage {
        storage.value = newValue
      } else {
        storage = HeapStorage(newValue)
      }
    }
    _modify {
      let isAlone = isKnownUniquelyReferenced(&storage)
      guard let shared = storage else {
        var missing: Value?
        // An access that throws ends here, too.
        defer { if missing != nil { storage = HeapStorage(missing) } }
        yield &missing
        return
      }
      let own = isAlone ? shared : HeapStorage(shared.value)
      defer { storage = own.value == nil ? nil : own }
      yield &own.value
    }
  }
}

extension RarelySet: Equatable where Value: Equatable {
  @inlinable
  public static func == (one: Self, other: Self) -> Bool {
    one.storage === other.storage || one.wrappedValue == other.wrappedValue
  }
}

extension RarelySet: Hashable where Value: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) { wrappedValue.hash(into: &hasher) }
}

extension CopiedOnWrite: CustomStringConvertible {
  public var description: String { String(describing: wrappedValue) }
}

extension RarelySet: CustomStringConvertible {
  public var description: String { String(describing: wrappedValue) }
}

/// What `CopiedOnWrite` and `RarelySet` share.
///
/// It is changed only through an owner that is the only one; no other thread has it then.
@usableFromInline
final class HeapStorage<Value: Sendable>: @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}
