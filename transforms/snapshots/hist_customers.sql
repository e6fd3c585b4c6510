{% snapshot hist_customers %}
{{ config(unique_key=['shop_id', 'id'], strategy='check', check_cols=['fingerprint']) }}
{{ versioned(ref('stg_customers'), ['seen_at']) }}
{% endsnapshot %}
