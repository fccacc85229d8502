// Python inside libFuzzer: a door of tests/fuzz/doors gets the inputs, and its own mutator may make them. SEQLAB_DOOR
// names the door, SEQLAB_PYTHON the interpreter whose environment has NumPy. An exception that the door lets out is a
// crash. Lines of our Python files count as coverage, beside the counters of the compiled core.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::size_t counter_count = 1 << 15;
__attribute__((used, section("__libfuzzer_extra_counters"))) std::uint8_t counters[counter_count];

PyObject *ask = nullptr, *mutate = nullptr;
bool tracing = false;

[[noreturn]] void end(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    if (PyErr_Occurred()) PyErr_Print();
    std::fflush(stdout);
    std::abort();
}

PyObject* sound(PyObject* object, const char* what) {
    if (!object) end(what);
    return object;
}

// Where the counters of a code object begin; 0 for code that is not ours.
std::size_t place_of(PyFrameObject* frame) {
    static std::unordered_map<void*, std::size_t> places;
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const auto [found, fresh] = places.try_emplace(code, 0);
    if (fresh) {
        const char* const file = PyUnicode_AsUTF8(code->co_filename);
        const char* const ours = file ? std::strstr(file, "/src/seqlab/") : nullptr;
        if (!file) PyErr_Clear();
        std::size_t place = 1;
        for (const char* at = ours; at && *at; ++at) place = place * 31 + static_cast<unsigned char>(*at);
        found->second = ours ? place | 1 : 0;
        Py_INCREF(code);  // so that no other code gets its address
    }
    const std::size_t place = found->second;
    Py_DECREF(code);
    return place;
}

int trace(PyObject*, PyFrameObject* frame, int what, PyObject*) {
    if (what != PyTrace_CALL && what != PyTrace_LINE) return 0;
    const std::size_t place = place_of(frame);
    if (place == 0) {
        if (what == PyTrace_CALL &&
            PyObject_SetAttrString(reinterpret_cast<PyObject*>(frame), "f_trace_lines", Py_False))
            PyErr_Clear();
        return 0;
    }
    // The instruction with which the line begins: the number of the line would be searched for each time.
    const std::size_t line = static_cast<std::size_t>(PyFrame_GetLasti(frame));
    std::uint8_t& counter = counters[(place + line * 0x9E3779B1U) % counter_count];
    counter = static_cast<std::uint8_t>(counter + (counter < 255));
    return 0;
}

void start_python() {
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    const char* const python = std::getenv("SEQLAB_PYTHON");
    if (python) PyConfig_SetBytesString(&config, &config.program_name, python);
    const PyStatus status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) end("Python does not start");
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    start_python();
    const char* const name = std::getenv("SEQLAB_DOOR");
    if (!name) end("SEQLAB_DOOR names no door");
    PyObject* const doors =
        sound(PyImport_ImportModule("fuzz.doors"), "tests/ is not among the paths of Python");
    PyObject* const door = sound(PyObject_CallMethod(doors, "opened", "s", name), "there is no such door");
    ask = sound(PyObject_GetAttrString(door, "ask"), "a door has no question");
    mutate = sound(PyObject_GetAttrString(door, "mutate"), "a door has no mutator");
    tracing = !std::getenv("SEQLAB_NO_TRACE");
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    PyObject* const bytes =
        sound(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(data), static_cast<Py_ssize_t>(size)),
              "no memory");
    if (tracing) PyEval_SetTrace(trace, nullptr);
    PyObject* const answer = PyObject_CallOneArg(ask, bytes);
    if (tracing) PyEval_SetTrace(nullptr, nullptr);
    Py_DECREF(sound(answer, "an exception that is not ours came out of the door"));
    Py_DECREF(bytes);
    return 0;
}

// Half of the inputs are made by the door's own mutator, if it has one.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    if (mutate == Py_None || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    PyObject* const made = sound(
        PyObject_CallFunction(mutate, "y#I", data, static_cast<Py_ssize_t>(size), seed), "a mutator failed");
    char* bytes = nullptr;
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(made, &bytes, &length)) end("a mutator gave no bytes");
    const std::size_t kept = std::min(static_cast<std::size_t>(length), most);
    std::memcpy(data, bytes, kept);
    Py_DECREF(made);
    return kept;
}
