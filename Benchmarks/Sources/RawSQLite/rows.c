#include <stdlib.h>
#include <string.h>

#include "internal.h"

RawRows *raw_rows_create(int64_t capacity) {
    RawRows *rows = calloc(1, sizeof *rows);
    if (!rows) return NULL;
    rows->items = calloc(capacity > 0 ? (size_t)capacity : 1, sizeof *rows->items);
    if (!rows->items) {
        free(rows);
        return NULL;
    }
    rows->capacity = capacity;
    return rows;
}

void raw_rows_free(RawRows *rows) {
    if (!rows) return;
    for (int64_t index = 0; index < rows->count; index++) free(rows->items[index].name);
    free(rows->items);
    free(rows);
}

bool raw_rows_append(RawRows *rows, const char *name, const char *email, double salary, int64_t age,
                     bool is_active, double hired_at, int64_t department, const char *note) {
    if (rows->count == rows->capacity) return false;
    size_t name_length = strlen(name), email_length = strlen(email);
    size_t note_length = note ? strlen(note) : 0;
    char *text = malloc(name_length + email_length + note_length + 1);
    if (!text) return false;
    memcpy(text, name, name_length);
    memcpy(text + name_length, email, email_length);
    if (note) memcpy(text + name_length + email_length, note, note_length);
    rows->items[rows->count] = (RawRow){
        .id = rows->count + 1,
        .age = age,
        .is_active = is_active,
        .department = department,
        .salary = salary,
        .hired_at = hired_at,
        .name = text,
        .email = text + name_length,
        .note = note ? text + name_length + email_length : NULL,
        .name_length = (int)name_length,
        .email_length = (int)email_length,
        .note_length = (int)note_length,
    };
    rows->count++;
    return true;
}
